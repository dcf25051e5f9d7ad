/** Version of this build, as in package.json. */
export const VERSION = '1.1.0';

/** Version of the API that `/openapi.json` describes. Additions do not change it; an incompatible API would. */
export const API_VERSION = '1.0.0';
