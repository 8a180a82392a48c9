// For the tests: which widgets the chapters' modules have, and with which functions: {prefix: {widget: [name, ...]}}.
//
//     node widgets.mjs PREFIX ...

const found = await Promise.all(
  process.argv.slice(2).map(async (prefix) => {
    const { widgets } = await import(`../../book/live/chapters/${prefix}.mjs`);
    const told = Object.entries(widgets).map(([name, widget]) => [name, Object.keys(widget).sort()]);
    return [prefix, Object.fromEntries(told)];
  }),
);
console.log(JSON.stringify(Object.fromEntries(found)));
