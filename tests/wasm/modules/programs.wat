;; Copies each program to its output, a word at a time, until there is none; tells the time, and says whether it is to stop.

(func $copy (local $at i32) (local $got i32)
  (loop $more
    (local.set $got (call $read (i32.const 256) (i32.const 4) (local.get $at)))
    (call $write (i32.const 256) (local.get $got))
    (local.set $at (i32.add (local.get $at) (local.get $got)))
    (br_if $more (local.get $got)))
  (i32.store (i32.const 260) (call $size))
  (call $write (i32.const 260) (i32.const 4))
  (i32.store (i32.const 260) (call $asked))
  (call $write (i32.const 260) (i32.const 4)))

(func (export "start") (local $ms i32)
  (loop $again
    (if (call $gate)
      (then
        (call $copy)
        (local.set $ms (i32.add (local.get $ms) (i32.const 1000)))
        (call $clock (local.get $ms))
        (br $again))))
  (call $stop (i32.const 0)))

(func (export "thread") (param i32))
