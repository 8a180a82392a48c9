;; Tells the time for ever.
(func (export "start") (local $ms i32)
  (drop (call $gate))
  (loop $again
    (local.set $ms (i32.add (local.get $ms) (i32.const 1000)))
    (call $clock (local.get $ms))
    (br $again)))

(func (export "thread") (param i32))
