// @ts-check
/* The stacks of the kernel's tasks, in an engine that has as many as are wanted: WebAssembly's JavaScript Promise
 * Integration. A task that is left waits for a promise, which whoever goes on with it fulfils. */

/** @typedef {import("./asyncify.mjs").Exports} Exports */
/**
 * @typedef {object} Left a task that has been left
 * @property {(previous: number) => void} goOn
 * @property {number} sp the kernel's own stack pointer
 */

/** What the types of browsers do not have yet. */
const { Suspending, promising } = /** @type {any} */ (WebAssembly);

/** Whether this engine has it. */
export const hasStacks = typeof Suspending === "function" && typeof promising === "function";

export class Tasks {
  /** @type {Map<number, Left>} by the address of its task_struct */
  #left = new Map();
  /** @type {Exports} */
  #exports = {};
  /** @type {(error: unknown) => void} */
  #end = () => {};

  /** The module's import of this name (kernel/tasks.c). */
  switchTo = new Suspending(
    (
      /** @type {number} */ prev,
      /** @type {number} */ next,
      /** @type {number} */ fresh,
      /** @type {number} */ sp,
    ) => {
      const pointer = this.#exports.__stack_pointer;
      const back = new Promise((goOn) => this.#left.set(prev, { goOn, sp: pointer.value }));
      if (fresh) {
        pointer.value = sp;
        this.#enter(this.#exports.thread, prev);
      } else {
        const task = this.#known(next);
        pointer.value = task.sp;
        task.goOn(prev);
      }
      return back;
    },
  );

  /**
   * Run the kernel. It does not return: what ends it is thrown.
   * @param {Exports} exports
   * @returns {Promise<never>}
   */
  start(exports) {
    this.#exports = exports;
    return new Promise((_, reject) => {
      this.#end = reject;
      this.#enter(exports.start);
    });
  }

  /**
   * On a stack of its own, until it is left for the first time.
   * @param {Function} outermost
   * @param {number[]} given
   */
  #enter(outermost, ...given) {
    promising(outermost)(...given).then(
      () => this.#end(new Error("a task of the kernel has returned")),
      this.#end,
    );
  }

  /** @param {number} address */
  #known(address) {
    const task = this.#left.get(address);
    if (!task) throw new Error(`no task at ${address}`);
    return task;
  }
}
