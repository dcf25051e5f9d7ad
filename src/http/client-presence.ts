import type { Response } from 'express';
import { CallerGone, type Presence } from '../kernel/presence.js';

/** The client of a request. Its connection is watched only when somebody wants to know: most answers are there before. */
export class ClientPresence implements Presence {
  private made: AbortSignal | undefined;

  constructor(private readonly response: Response) {}

  get signal(): AbortSignal {
    this.made ??= this.watch();
    return this.made;
  }

  private watch(): AbortSignal {
    const gone = new AbortController();
    const { response } = this;
    const look = () => response.writableFinished || gone.abort(new CallerGone());
    if (response.closed) look();
    else response.once('close', look);
    return gone.signal;
  }
}
