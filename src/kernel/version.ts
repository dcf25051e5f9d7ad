/** Version of this build, as in package.json. */
export const VERSION = '1.1.0';
