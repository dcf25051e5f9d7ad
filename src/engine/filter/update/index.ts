export { applyUpdate, pulledElements } from './apply.js';
export { parseUpdate } from './parse.js';
export { type Operation, rootsOf, type Update } from './tree.js';
export { canonical, isSame } from './values.js';
