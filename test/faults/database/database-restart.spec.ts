import { it } from 'vitest';
import { underLoad } from '../support/trial.js';

it('the service reconnects to a PostgreSQL that restarts in fast and then in immediate mode', () =>
  underLoad('Restart of PostgreSQL, twice fast and twice immediate', async ({ cluster, load, recovered }) => {
    for (const mode of ['fast', 'immediate', 'fast', 'immediate'] as const) {
      await cluster.restart(mode);
      await recovered();
      await load.acknowledge(100);
    }
  }));
