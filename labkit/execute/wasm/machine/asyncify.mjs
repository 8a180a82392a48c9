// @ts-check
/* The stacks of the kernel's tasks, in an engine that has one: binaryen's asyncify has rewritten the module so that a
 * task's frames can be taken off into memory (unwound), and put on again (rewound). Each task has a buffer for them. */

const PAGE = 1 << 16;
const NORMAL = 0;
const UNWINDING = 1;
const REWINDING = 2;

/**
 * @typedef {object} Task
 * @property {() => void} enter its outermost call
 * @property {boolean} fresh it has no frames to put on again
 * @property {number} buffer where its frames are kept; 0: it has none yet
 * @property {number} sp the kernel's own stack pointer
 */

/**
 * What the module exports besides: start, thread, __stack_pointer.
 * @typedef {Record<string, any>} Exports
 */

export class Tasks {
  /** @param {WebAssembly.Memory} memory */
  constructor(memory) {
    this.memory = memory;
    /** @type {Map<number, Task>} those that have been left, by the address of their task_struct */
    this.left = new Map();
    /** @type {Exports} */
    this.exports = {};
    /** @type {Task} */
    this.current = { enter: () => {}, fresh: true, buffer: 0, sp: 0 };
    /** @type {Task} */
    this.next = this.current;
    this.previous = 0;
  }

  /**
   * Run the kernel. It does not return: what ends it is thrown.
   * @param {Exports} exports
   * @returns {never}
   */
  start(exports) {
    this.exports = exports;
    this.current = {
      enter: () => exports.start(),
      fresh: true,
      buffer: 0,
      sp: exports.__stack_pointer.value,
    };
    for (;;) {
      this.current.enter();
      if (exports.asyncify_get_state() !== UNWINDING) throw new Error("a task of the kernel has returned");
      exports.asyncify_stop_unwind();
      this.current = this.next;
      if (this.current.fresh) exports.__stack_pointer.value = this.current.sp;
      else exports.asyncify_start_rewind(this.current.buffer);
    }
  }

  /**
   * The module's import of this name (kernel/tasks.c). It is called again when `prev` has been rewound.
   * @param {number} prev
   * @param {number} next
   * @param {number} fresh
   * @param {number} sp
   */
  switchTo = (prev, next, fresh, sp) => {
    const { exports, current } = this;
    if (exports.asyncify_get_state() === REWINDING) {
      exports.asyncify_stop_rewind();
      exports.__stack_pointer.value = current.sp;
      return this.previous;
    }
    current.sp = exports.__stack_pointer.value;
    current.fresh = false;
    this.left.set(prev, current);
    this.previous = prev;
    this.next = fresh ? this.#fresh(next, prev, sp) : this.#known(next);
    exports.asyncify_start_unwind(this.#emptied(current));
    return NORMAL;
  };

  /**
   * A task where one that has ended was before takes over its buffer.
   * @param {number} address
   * @param {number} previous
   * @param {number} sp
   * @returns {Task}
   */
  #fresh(address, previous, sp) {
    const buffer = this.left.get(address)?.buffer ?? 0;
    return { enter: () => this.exports.thread(previous), fresh: true, buffer, sp };
  }

  /** @param {number} address */
  #known(address) {
    const task = this.left.get(address);
    if (!task) throw new Error(`no task at ${address}`);
    return task;
  }

  /**
   * A buffer begins with where it is filled from and where it ends.
   * @param {Task} task
   */
  #emptied(task) {
    task.buffer ||= this.memory.grow(1) * PAGE;
    new Uint32Array(this.memory.buffer, task.buffer, 2).set([task.buffer + 8, task.buffer + PAGE]);
    return task.buffer;
  }
}
