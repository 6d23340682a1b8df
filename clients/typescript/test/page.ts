/** The client as a page has it: a test in a real browser calls it by this name. */
import * as chautari from "../src/index.js";

Object.assign(globalThis, { chautari });
