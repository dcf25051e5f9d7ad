// What the service uses of Node, Express and pino beyond their interfaces. The tests beside this file fail when an update
// changes it.
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { type DestinationStream, type Logger, pino } from 'pino';
import { FixedHeaders, type OwnHeaders } from './server/fixed-headers.js';

/** The classes of requests and responses that a server creates. */
export interface ExpressMessages {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse<IncomingMessage>;
}

/** The method of Node that builds the head of a response. Its types leave it out. */
interface BuildsHead {
  _storeHeader(statusLine: string, headers: OwnHeaders): void;
}

/** A response that is a stream has a listener of each of its steps and several of `pipeline`: more than Node's 10. */
const MAX_LISTENERS = 20;

/**
 * The messages for an Express application. Responses have the fixed headers, which are part of the text that Node builds.
 * A connection ends with the response that is sent while `isLeaving` is true.
 *
 * Express gives each message the prototype of its application. V8 then creates a hidden class for that one object, and
 * another for every property that is added later. Inline caches never match such objects, and old hidden classes keep
 * requests in memory until the next full garbage collection. Express does not change messages that are created with
 * this prototype; a minimal application then answers three times as many requests.
 */
export function expressMessages(
  app: Express,
  fixedHeaders = () => new FixedHeaders(),
  isLeaving = () => false,
): ExpressMessages {
  const { _storeHeader: buildHead } = ServerResponse.prototype as unknown as BuildsHead;
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse implements BuildsHead {
    _storeHeader(statusLine: string, headers: OwnHeaders): void {
      if (isLeaving()) this.shouldKeepAlive = false;
      buildHead.call(this, statusLine + fixedHeaders().missingIn(this.req, headers), headers);
    }
  }
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  ServerResponse.prototype.setMaxListeners.call(ExpressResponse.prototype, MAX_LISTENERS);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** What pino writes its lines to. */
export function destinationOf(logger: Logger): DestinationStream {
  return (logger as unknown as Record<symbol, DestinationStream>)[
    pino.symbols.streamSym
  ] as DestinationStream;
}
