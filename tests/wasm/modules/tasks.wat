;; Two tasks, "start" at 1024 and "thread" at 2048, that write down what they see after each switch: who was before, and
;; the stack pointer. The first is a thousand calls deep when it is left, and counts them on its way back.

(func $saw (param $who i32)
  (i32.store (i32.const 128) (local.get $who))
  (i32.store (i32.const 132) (global.get $sp))
  (call $write (i32.const 128) (i32.const 8)))

(func $deep (param $calls i32) (result i32)
  (if (i32.eqz (local.get $calls))
    (then
      (call $saw (call $switch_to (i32.const 1024) (i32.const 2048) (i32.const 0) (i32.const 0)))
      (return (i32.const 0))))
  (i32.store (i32.const 136) (call $deep (i32.sub (local.get $calls) (i32.const 1))))
  (i32.add (i32.load (i32.const 136)) (i32.const 1)))

(func (export "start")
  (drop (call $gate))
  (call $saw (call $switch_to (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 8192)))
  (global.set $sp (i32.const 4000))
  (i32.store (i32.const 140) (call $deep (i32.const 1000)))
  (call $write (i32.const 140) (i32.const 4))
  ;; Another task where the second was: it begins anew, on the same stack
  (call $saw (call $switch_to (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 16384)))
  (call $stop (i32.const 0)))

(func (export "thread") (param $before i32)
  (call $saw (local.get $before))
  (loop $again
    (call $saw (call $switch_to (i32.const 2048) (i32.const 1024) (i32.const 0) (i32.const 0)))
    (br $again)))
