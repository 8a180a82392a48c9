// The search page. Pagefind finds the pages that have a word; any of the reader's words is enough, and what the glossary
// calls another name is looked for under its term, too. What is ranked here: rare words before common ones, words that
// stand together before words apart, and titles before all else. Of each page it shows the sentences that have most of it.

(() => {
  "use strict";
  const FOLDER = new URL("search/", document.currentScript.src);
  const ROOT = new URL("../../", FOLDER);
  const SHOWN = 12;
  const WEIGHED = 24; // of so many pages the titles are looked at
  const SENTENCES = 2;
  // Parts of a chapter that a reader who searches wants after the others.
  const ASIDE = /^(?:Check the claim|Published|On your own|Practice|Problems|Exercises|Quiz|Summary|Going deeper|Reproduce)/;
  const LONG_TITLE = 0.05; // what each of a title's words takes away: of two that have all, the shorter is meant
  const STOP = new Set(
    ("a an and are as at be by can do does for from how i in is it my of on or so that the this to was what when where which " +
      "why will with you your").split(" "),
  );
  const form = document.querySelector(".bd-search-container form");
  const field = form.querySelector("input");
  const list = document.getElementById("search-results");
  const said = document.getElementById("search-said");

  const wordsOf = (text) => text.toLowerCase().replace(/wi-fi/g, "wifi").match(/[\p{L}\p{N}_]+/gu) ?? [];
  const stem = (word) => (word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, "") : word);
  const startsAs = (stems) => (word) => stems.some((one) => (one.length > 2 ? word.startsWith(one) : word === one));

  /** What is looked for: {words, terms}, the reader's own words and the terms of which they are other names. */
  const asked = (query, names) => {
    const all = wordsOf(query);
    const own = all.filter((word) => !STOP.has(word));
    const terms = Object.entries(names)
      .filter(([name]) => wordsOf(name).every((word) => all.includes(word)))
      .flatMap(([, meant]) => meant);
    return { words: own.length ? own : all, terms: [...new Set(terms)] };
  };

  /** Page's id -> {result, score}, of all that have any of it. */
  const found = async (pagefind, { words, terms }) => {
    const searches = [
      ...words.map((word) => ({ text: word, weight: 1 })),
      ...terms.map((term) => ({ text: term, weight: 1.5 })),
      ...(words.length > 1 ? [{ text: `"${words.join(" ")}"`, weight: 3 }] : []),
    ];
    const pages = new Map();
    for (const { text, weight } of searches) {
      const { results, unfilteredResultCount: all } = await pagefind.search(text);
      const best = Math.max(...results.map(({ score }) => score));
      const rarity = Math.log(2 + all / (1 + results.length));
      for (const result of results) {
        const page = pages.get(result.id) ?? { result, score: 0 };
        page.score += (weight * rarity * result.score) / best;
        pages.set(result.id, page);
      }
    }
    return [...pages.values()].sort((a, b) => b.score - a.score);
  };

  /** The part of what is looked for that a title has. */
  const share = (title, { words, terms }) => {
    const own = wordsOf(title);
    const shares = [words, ...terms.map(wordsOf)].map(
      (looked) => looked.filter((word) => own.some(startsAs([stem(word)]))).length / looked.length,
    );
    return Math.max(...shares);
  };

  /** Sentences of a page, in their order: {text, section}, the section that each is in. */
  const sentencesOf = ({ content, anchors }) => {
    const words = content.split(/\s+/);
    const headings = anchors.filter(({ element }) => /^(?:h\d|dt)$/.test(element)).sort((a, b) => a.location - b.location);
    const cuts = [...headings, { location: words.length }];
    return cuts.slice(0, -1).flatMap((section, at) =>
      words
        .slice(section.location, cuts[at + 1].location)
        .join(" ")
        .replace(section.text, "")
        .split(/(?<=[.!?:])\s+(?=["“(]?[\p{Lu}\d])/u)
        .filter((text) => wordsOf(text).length > 1)
        .map((text) => ({ text: text.replace(/^[.\s]+/, ""), section })),
    );
  };

  /** The section that says most of it, and its best sentences. */
  const excerpt = (page, looked) => {
    const stems = [...looked.words, ...looked.terms.flatMap(wordsOf)].filter((word) => !STOP.has(word)).map(stem);
    const told = sentencesOf(page).map((sentence) => {
      const own = wordsOf(sentence.text);
      const has = stems.filter((one) => own.some(startsAs([one]))).length;
      const title = sentence.section.text;
      const worth = has && has + share(title, looked) - LONG_TITLE * wordsOf(title).length;
      return { ...sentence, worth: ASIDE.test(title) ? worth / 2 : worth };
    });
    const best = told.reduce((most, one) => (one.worth > most.worth ? one : most), told[0]);
    if (!best?.worth) return { section: null, sentences: [], stems };
    const from = told.indexOf(best);
    const sentences = told.slice(from, from + SENTENCES).filter(({ section }) => section === best.section);
    return { section: best.section, sentences: sentences.map(({ text }) => text), stems };
  };

  const element = (name, parts, ...children) => {
    const made = Object.assign(document.createElement(name), parts);
    made.append(...children);
    return made;
  };
  const marked = (text, stems) => {
    const isMeant = startsAs(stems);
    return text.split(/([\p{L}\p{N}_]+)/u).map((part, at) => (at % 2 && isMeant(part.toLowerCase()) ? element("mark", {}, part) : part));
  };

  const item = ({ data, excerpt: { section, sentences, stems } }) => {
    const link = element("a", { href: new URL(data.raw_url.replace(/^\//, ""), ROOT).href }, data.meta.number ? `${data.meta.number}. ${data.meta.title}` : data.meta.title);
    const children = [link];
    if (section) {
      const there = element("a", { href: `${link.href}#${section.id}` }, section.text);
      const where = section.element === "h1" ? [] : [element("p", { className: "lp-where" }, there)];
      children.push(...where, element("p", { className: "context" }, ...marked(sentences.join(" "), stems)));
    }
    return element("li", {}, ...children);
  };

  const search = async (query) => {
    said.textContent = "Searching";
    const pagefind = await import(new URL("pagefind.js", FOLDER).href);
    await pagefind.options({ baseUrl: ROOT.pathname });
    const names = await (await fetch(new URL("other_names.json", FOLDER))).json();
    const looked = asked(query, names);
    const pages = (await found(pagefind, looked)).slice(0, WEIGHED);
    for (const page of pages) {
      page.data = await page.result.data();
      page.title = share(page.data.meta.title, looked);
      page.excerpt = excerpt(page.data, looked);
      page.score *= 1 + 2 * page.title + (page.excerpt.section ? share(page.excerpt.section.text, looked) : 0);
    }
    // Pagefind takes a word that no page has for the longest beginning of it that some page has.
    const have = pages.filter(({ title, excerpt }) => title || excerpt.section).sort((a, b) => b.score - a.score);
    list.replaceChildren(...have.slice(0, SHOWN).map(item));
    const also = looked.terms.length ? ` Also searched for: ${looked.terms.join(", ")}.` : "";
    said.textContent = have.length ? `The ${list.children.length} best matches.${also}` : `Nothing found for “${query}”.`;
  };

  const query = new URLSearchParams(location.search).get("q") ?? "";
  field.value = query;
  field.focus();
  if (location.protocol === "file:") said.textContent = "To search, open these pages over http: a browser loads no index from a file.";
  else if (query.trim())
    search(query).catch((error) => {
      said.textContent = `The search did not work: ${error.message}`;
    });
})();
