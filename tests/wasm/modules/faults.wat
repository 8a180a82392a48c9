;; Does what the first byte of its program says: most of it cannot be done.
(table 4 funcref)
(type $number (func (result i32)))
(data (i32.const 256) "the same line again and again\n")

(func $recurse (param $calls i32) (result i32)
  (i32.store (i32.const 136) (call $recurse (i32.add (local.get $calls) (i32.const 1))))
  (i32.add (i32.load (i32.const 136)) (local.get $calls)))

(func $do (param $what i32) (local $lines i32)
  (block $else (block $9 (block $8 (block $7 (block $6 (block $5 (block $4 (block $3 (block $2 (block $1 (block $0
    (br_table $0 $1 $2 $3 $4 $5 $6 $7 $8 $9 $else (i32.sub (local.get $what) (i32.const 48))))
    (drop (call $recurse (i32.const 0))))
    (i32.store (i32.const 0x7fffffff) (i32.const 1)))
    (i32.store (i32.const 128) (i32.load offset=0xffffffff (i32.const -1))) (return))
    (call $write (i32.const 64) (i32.const -1)))
    (memory.fill (i32.const 64) (i32.const 0) (i32.const -1)))
    (unreachable))
    (i32.store (i32.const 128) (i32.div_u (i32.const 1) (i32.load (i32.const 1000)))))
    (drop (call_indirect (type $number) (i32.const 2))))
    ;; More memory than there can be, then some
    (i32.store (i32.const 128) (memory.grow (i32.const 0x10000)))
    (i32.store (i32.const 132) (memory.grow (i32.const 3)))
    (i32.store (i32.const 0x12fffc) (memory.size))
    (call $write (i32.const 128) (i32.const 8))
    (call $write (i32.const 0x12fffc) (i32.const 4))
    (call $stop (i32.const 0)))
    (loop $again
      (call $print (i32.const 256) (i32.const 30))
      (local.set $lines (i32.add (local.get $lines) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $lines) (i32.const 10000))))
    (call $stop (i32.const 1)))
  (call $stop (i32.const 2)))

(func (export "start")
  (drop (call $gate))
  (drop (call $read (i32.const 80) (i32.const 1) (i32.const 0)))
  (if (i32.eq (i32.load8_u (i32.const 80)) (i32.const 116)) ;; "t": the second byte, in another task
    (then
      (drop (call $read (i32.const 80) (i32.const 1) (i32.const 1)))
      (drop (call $switch_to (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 8192)))))
  (call $do (i32.load8_u (i32.const 80))))

(func (export "thread") (param i32)
  (call $do (i32.load8_u (i32.const 80))))
