import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Share } from '../../../base/kernel/bounds/admission/share.js';
import { CallerGone } from '../../../base/kernel/bounds/deadline.js';
import { FORWARDED, STREAMED_BODY } from '../body/body.decorators.js';
import { ownerOf } from '../body/body-reader.js';
import { ClientPresence, type PlatformRequest } from '../platform-request.js';
import { announcesBody } from '../server/connections.js';
import { AccessStep, type Check, type Route } from './access-step.js';
import { RequestPlaces } from './request-places.js';

/**
 * Gives each request a place in memory until its response is closed. A request beyond the share of its caller waits before
 * its body is read: it holds only what has arrived with its headers, and Node stops reading from the connection. Refuses
 * with 503 when too many wait, or when a request waits too long. Public requests without a body need no place.
 */
@Injectable()
export class PlaceStep extends AccessStep {
  constructor(private readonly queue: RequestPlaces) {
    super();
  }

  checkFor(route: Route): Check | undefined {
    // A service behind the gateway limits its own requests.
    if (route.metadata(STREAMED_BODY) === FORWARDED) return undefined;
    const { queue } = this;
    const hold = (request: PlatformRequest, response: Response, share: Share) => {
      if (response.closed) {
        queue.leave(share);
        throw new CallerGone();
      }
      request.places = queue;
      request.place = share;
      response.on('close', leaveWithResponse);
    };
    return (request, response) => {
      const { principal } = request;
      if (principal === undefined && !announcesBody(request)) return undefined;
      const owner = ownerOf(request);
      const caller = principal?.id ?? request.ip ?? '';
      if (queue.hasRoom(owner, caller)) {
        hold(request, response, queue.enter(owner, caller) as Share);
        return undefined;
      }
      const entered = queue.enter(owner, caller, undefined, new ClientPresence(response));
      return Promise.resolve(entered).then(share => hold(request, response, share));
    };
  }
}

/** Gives the place back: when the response is closed, or when it becomes a stream that others limit. */
export function leavePlace(request: PlatformRequest): void {
  const { place, places } = request;
  if (place === undefined) return;
  request.place = undefined;
  places?.leave(place);
}

/** One function for all responses, so that a request creates none. */
function leaveWithResponse(this: Response): void {
  leavePlace(this.req as PlatformRequest);
}
