// The time of a film as it is shown: it plays, stands, goes from event to event. Draws nothing.

(() => {
  "use strict";

  const BEAT_MS = 500;     // a step of those who want no motion
  const LATE_MS = 100;     // a frame that comes later counts for no more: nobody saw the time between

  // How much a frame at ms plays, in ms of real time: what passed since the one before; for who wants no motion
  // nothing (null) until a beat is over, and then the beat.
  const beats = (still) => {
    let [last, waited] = [0, 0];
    const begin = () => { last = waited = 0; };
    const played = (ms) => {
      const passed = Math.min(LATE_MS, ms - (last || ms));
      last = ms;
      if (!still.matches) return passed;
      waited += passed;
      if (waited < BEAT_MS) return null;
      const beat = waited;
      waited = 0;
      return beat;
    };
    return {begin, played};
  };

  // What moves now.t (µs of the film), with now.playing, now.speed (film by real time) and now.event (that it stands
  // at). It shows its poster (now.isPoster) until somebody moves it, then begins at the beginning. still: matches for who wants no motion. moved(ms) is called after each change; ms: the frame's time, else null.
  const clock = (model, still, moved) => {
    const now = {t: model.poster, isPoster: true, playing: false, speed: model.film.speed, event: null};
    const beat = beats(still);

    const put = (at, event = null) => {
      now.isPoster = false;
      now.t = Math.min(model.end, Math.max(model.begin, at));
      now.event = event;
    };

    const frame = (ms) => {
      if (!now.playing) return;
      const passed = beat.played(ms);
      if (passed !== null) {
        put(now.t + passed * 1e3 * now.speed);
        now.playing = now.t < model.end;
        moved(ms);
      }
      if (now.playing) requestAnimationFrame(frame);
    };

    const seek = (at, event = null) => {
      now.playing = false;
      put(at, event);
      moved(null);
    };

    const toggle = () => {
      now.playing = !now.playing;
      if (now.playing) {
        if (now.isPoster || now.t >= model.end) put(model.begin);
        beat.begin();
        requestAnimationFrame(frame);
      }
      moved(null);
    };

    const pause = () => { if (now.playing) toggle(); };
    return {now, seek, toggle, pause, ...walk(model, now, seek)};
  };

  // From event to event, not by time: several at one instant are stepped through one by one.
  const walk = (model, now, seek) => {
    const lost = model.events.filter((one) => one.what === "lost");

    // The number of the last event until now; -1 before the first.
    const place = () => {
      if (now.event) return model.events.indexOf(now.event);
      let found = -1;
      while (found + 1 < model.events.length && model.events[found + 1].at <= now.t) found += 1;
      return found;
    };

    // To the next event (by 1) or the one before (-1), else to the end or the beginning; the event or undefined.
    const step = (by) => {
      const begin = now.isPoster && by > 0;
      const to = model.events[begin ? 0 : now.event ? place() + by : by > 0 ? place() + 1 : place()];
      seek(to ? to.at : by > 0 ? model.end : model.begin, to ?? null);
      return to;
    };

    // To the next loss or the one before, if there is one: the event or undefined.
    const jump = (by) => {
      const from = now.event?.what === "lost" ? lost.indexOf(now.event) + by
        : by > 0 ? lost.findIndex((one) => now.isPoster || one.at > now.t) : lost.findLastIndex((one) => one.at < now.t);
      const to = lost[from];
      if (to) seek(to.at, to);
      return to;
    };

    const here = () => model.events[Math.max(0, place())];
    return {step, jump, here};
  };

  window.LabkitPlayer = Object.assign(window.LabkitPlayer, {clock});
})();
