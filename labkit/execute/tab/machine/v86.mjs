// @ts-check
/* The emulator: v86.wasm of the npm package v86 0.5.462, with imports of our own. It has no name for what this file
 * knows of it: where its registers are, and which exports do what. tests/tab/test_v86.py holds the offsets against the
 * package's own script. Nothing above this file knows of x86. */

/** Offsets in the emulator's memory. */
export const HALTED = 616;
export const INSTRUCTIONS = 664;
export const MEMORY_SIZE = 812;
/** The processor: everything between these. */
export const PROCESSOR = { from: 64, to: 2048 };

const FIRST_FUNCTION = 1024;
const FUNCTIONS = 900;
const SLICE = 4_000_000; // instructions: some 50 ms
const LOOK = 100_003; // after so many the emulator asks for the time
const FRAME_MS = 1; // when so much has passed, it returns
const MAX_PAGES = 1; // of a compiled function: larger ones keep the browser's compiler longer from being done

/** The setting of that name in the emulator. */
const SETTING_MAX_PAGES = 1;

/**
 * @typedef {object} Ports
 * @property {(port: number, value: number) => void} write8
 * @property {(port: number, value: number) => void} write32
 */

/** A processor and its memory. */
export class Emulator {
  /**
   * @param {WebAssembly.Module} module v86.wasm
   * @param {number} memory bytes of RAM
   * @param {Ports} ports what the guest writes to its ports
   */
  constructor(module, memory, ports) {
    this.memory = memory;
    /** How many functions have been compiled. */
    this.compiled = 0;
    this.executed = 0;
    this.looks = 0;
    /** @type {(() => void)[]} */
    this.ready = [];
    this.table = new WebAssembly.Table({ element: "anyfunc", initial: FIRST_FUNCTION + FUNCTIONS });
    const instance = new WebAssembly.Instance(module, { env: this.#imports(ports) });
    /** @type {any} */
    this.exports = instance.exports;
    /** @type {WebAssembly.Memory} */
    this.wasm = this.exports.memory;
    this.functions = { e: { ...this.exports, m: this.wasm } };
    this.exports.rust_init();
    this.exports.set_jit_config(SETTING_MAX_PAGES, MAX_PAGES);
    this.#words()[MEMORY_SIZE >> 2] = memory;
    this.base = this.exports.allocate_memory(memory) >>> 0;
    this.exports.reset_cpu();
  }

  /** RAM. A view that holds until the guest runs again. */
  get ram() {
    return new Uint8Array(this.wasm.buffer, this.base, this.memory);
  }

  /**
   * The processor's registers, as bytes.
   * @returns {Uint8Array}
   */
  get processor() {
    return this.#bytes().slice(PROCESSOR.from, PROCESSOR.to);
  }

  set processor(bytes) {
    this.#bytes().set(bytes, PROCESSOR.from);
    this.exports.full_clear_tlb();
    this.exports.update_state_flags();
  }

  /** Run until the guest halts (true), or for a while. A guest that halts does so in a loop. */
  run() {
    let halted;
    do {
      this.#bytes()[HALTED] = 0;
      const before = this.#words()[INSTRUCTIONS >> 2];
      this.exports.main_loop();
      this.executed += (this.#words()[INSTRUCTIONS >> 2] - before) >>> 0;
      halted = this.#bytes()[HALTED] !== 0;
    } while (this.#useCompiled());
    return halted;
  }

  /** The emulator takes compiled functions only while it rests. Returns whether there were any. */
  #useCompiled() {
    const ready = this.ready;
    this.ready = [];
    for (const use of ready) use();
    return ready.length > 0;
  }

  /**
   * This memory was changed from outside: code compiled from it is not valid any more.
   * @param {number} from
   * @param {number} to
   */
  changed(from, to) {
    this.exports.jit_dirty_cache(from, to);
  }

  #bytes() {
    return new Uint8Array(this.wasm.buffer);
  }

  #words() {
    return new Uint32Array(this.wasm.buffer);
  }

  /**
   * A function of WebAssembly, made of the guest's code by the emulator. It is made to rest.
   * @param {number} index
   * @param {number} start
   * @param {number} flags
   * @param {number} at
   * @param {number} size
   */
  #compile(index, start, flags, at, size) {
    const code = this.#bytes().slice(at >>> 0, (at >>> 0) + (size >>> 0));
    const made = new WebAssembly.Instance(new WebAssembly.Module(code), this.functions);
    this.compiled++;
    this.ready.push(() => {
      this.table.set(FIRST_FUNCTION + index, made.exports.f);
      this.exports.codegen_finalize_finished(index, start, flags);
    });
    this.#bytes()[HALTED] = 1;
  }

  /**
   * There are no devices, and no time but the guest's own: nothing here depends on when it is called.
   * @param {Ports} ports
   */
  #imports(ports) {
    const nothing = () => {};
    const none8 = () => 0xff;
    const none16 = () => 0xffff;
    const none32 = () => -1;
    return {
      __indirect_function_table: this.table,
      microtick: () => (++this.looks * FRAME_MS * LOOK) / SLICE,
      get_rand_int: () => 0,
      run_hardware_timers: () => 100,
      cpu_event_halt: nothing,
      stop_idling: nothing,
      io_port_read8: none8,
      io_port_read16: none16,
      io_port_read32: none32,
      io_port_write8: ports.write8,
      io_port_write16: nothing,
      io_port_write32: ports.write32,
      mmap_read8: none8,
      mmap_read32: none32,
      mmap_write8: nothing,
      mmap_write16: nothing,
      mmap_write32: nothing,
      mmap_write64: nothing,
      mmap_write128: nothing,
      jit_clear_func: (/** @type {number} */ index) => this.table.set(FIRST_FUNCTION + index, null),
      codegen_finalize: this.#compile.bind(this),
      console_log_from_wasm: (/** @type {number} */ at, /** @type {number} */ size) =>
        console.error(new TextDecoder().decode(new Uint8Array(this.wasm.buffer, at, size))),
    };
  }
}
