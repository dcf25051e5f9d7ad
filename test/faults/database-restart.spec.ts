import { it } from 'vitest';
import { underLoad } from './trial.js';

it('a PostgreSQL that is restarted, fast and then immediate, is found again', () =>
  underLoad('Restart of PostgreSQL, twice fast and twice immediate', async ({ cluster, load, recovered }) => {
    for (const mode of ['fast', 'immediate', 'fast', 'immediate'] as const) {
      await cluster.restart(mode);
      await recovered();
      await load.acknowledge(100);
    }
  }));
