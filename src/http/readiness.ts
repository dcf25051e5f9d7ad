import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Whether this instance wants requests. */
@Injectable()
export class Readiness {
  isLeaving = false;
}

/** Says that no more requests are wanted, and takes them for so long still: balancers look only now and then. */
export async function leave(readiness: Readiness, delaySeconds: number): Promise<void> {
  readiness.isLeaving = true;
  await pause(delaySeconds * 1000);
}
