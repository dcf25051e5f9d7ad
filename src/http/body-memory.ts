import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { ByteBudget } from '../kernel/byte-budget.js';
import { invalid } from '../kernel/errors.js';
import type { PlatformRequest } from './platform-request.js';

/** Shorter bodies are not counted. */
export const FREE_BODY_BYTES = 256 * 1024;
/** A body is in memory as it came, as text and as values; these take more than their text. */
const COPIES = 4;
/** The owner of all bodies together, among the organizations with their answers. */
const BODIES = 'bodies';

/**
 * Memory for large bodies, while their requests run. Bodies get at most half of the memory of the process, shared among
 * organizations; so what a request needs beside its body can always be had, and requests never wait for each other in a circle.
 */
@Injectable()
export class BodyMemory {
  private readonly bodies: ByteBudget;

  constructor(private readonly budget: ByteBudget) {
    this.bodies = new ByteBudget(budget.total / 2);
  }

  /**
   * Takes memory for a body as soon as it is left, and gives it back when the request has been answered. Rejects with 503
   * when that takes too long. `shrink` gives back what a shorter body does not need.
   */
  async hold(
    request: PlatformRequest,
    response: Response,
    bytes: number,
  ): Promise<{ shrink(bytes: number): void }> {
    const owner = request.membership?.orgId ?? request.principal?.id ?? '';
    let held = bytes * COPIES;
    await this.bodies.take(owner, held);
    const give = (part: number) => {
      this.bodies.give(owner, part);
      this.budget.give(BODIES, part);
      held -= part;
    };
    await this.budget.take(BODIES, held).catch(error => {
      this.bodies.give(owner, held);
      throw error;
    });
    if (response.closed) {
      give(held);
      throw invalid('The client closed the connection before its body was read.');
    }
    response.once('close', () => give(held));
    return { shrink: needed => give(Math.max(0, held - needed * COPIES)) };
  }
}
