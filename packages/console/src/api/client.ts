import { createClient } from '@typed-collections/client';
import { createApi } from '@typed-collections/client/api';

/** The service that served this page. The browser sends its session cookie; no script sees a token. */
export const client = createClient();

/** Every operation besides those on records, by tag and `operationId`. */
export const api = createApi(client);
