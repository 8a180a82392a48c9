// @ts-check
/* A button that puts the address of a setting into the address bar, and to be pasted where the browser lets us. */

import { button } from "./dom.mjs";

const SAID_MS = 2000;
const TEXT = "Link to this setting";

/**
 * @param {(() => string) | null} address null: there is none
 * @param {(text: string) => void} say
 */
export function linkButton(address, say) {
  const made = button(
    TEXT,
    async () => {
      const link = address?.() ?? "";
      history.replaceState(null, "", link);
      await navigator.clipboard?.writeText(link);
      say("The link is copied, and in the address bar.");
      made.textContent = "Link copied";
      setTimeout(() => {
        made.textContent = TEXT;
      }, SAID_MS);
    },
    { hidden: !address },
  );
  return made;
}
