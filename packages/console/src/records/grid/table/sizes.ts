/** Sizes in pixels that both the layout and the styles need. The styles get them as custom properties. */
export const ROW_HEIGHT = 32;
export const HEADER_HEIGHT = 38;
/** The first column: the number of the row and the button that opens the record. */
export const GUTTER_WIDTH = 64;
/** The same with a box to choose the record. */
export const CHOOSING_GUTTER_WIDTH = 88;
