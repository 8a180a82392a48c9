export const widgets = {};
