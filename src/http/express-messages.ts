import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * The classes of requests and responses that a server makes for an Express application.
 *
 * Express gives each message the prototype of its application. V8 then makes a hidden class for that one object, and
 * another for every property it is given later: no inline cache ever knows a request again, and old hidden classes keep
 * requests alive until the next full collection. Messages that have this prototype from birth are left as they are; a
 * minimal application answers three times as many of them.
 */
export function expressMessages(app: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse<IncomingMessage>;
} {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
