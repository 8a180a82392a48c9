// @ts-check
/* When the laboratory is fetched before anybody has pressed a button: a reader's pointer or focus is in a figure that can
 * use it, and what comes over the network costs the reader nothing, as far as the browser says. */

/** @typedef {{saveData?: boolean, type?: string, effectiveType?: string}} Connection of navigator.connection */

/**
 * Whether bytes that nobody asked for may be fetched. Browsers without the Network Information API say nothing of the
 * connection: there a pointer as fine as a mouse stands for a machine that is not on a mobile contract.
 * @param {Connection | undefined} connection
 * @param {boolean} hasMouse
 */
export function isFree(connection, hasMouse) {
  if (!connection) return hasMouse;
  const { saveData, type, effectiveType } = connection;
  return !saveData && type !== "cellular" && (effectiveType ?? "4g") === "4g";
}

/**
 * Calls back once, when a pointer or the focus comes into the element.
 * @param {Element} element
 * @param {() => void} callback
 */
export function whenReached(element, callback) {
  const reached = new AbortController();
  for (const sign of ["pointerenter", "focusin"]) {
    const once = () => {
      reached.abort();
      callback();
    };
    element.addEventListener(sign, once, { signal: reached.signal });
  }
}
