/** The version of this package. The client sends it with each request as `x-client-version`. */
export const VERSION = '1.1.0';
