import { expect, it } from 'vitest';
import { underLoad } from '../faults/support/trial.js';
import { Dice, seedOr, TIMES } from '../harness/dice.js';

const SEED = seedOr(1);
const KILLS = 10 * TIMES;

it(
  'no acknowledged write is lost and no repeated write is doubled, whichever processes are killed',
  () => {
    const dice = new Dice(SEED);
    return underLoad(
      `${KILLS} random kills, SEED=${SEED}`,
      async ({ cluster, service, load, recovered }) => {
        for (let kill = 0; kill < KILLS; kill++) {
          await load.acknowledge(1 + dice.below(150));
          const victims = service.instances.filter(() => dice.below(2) === 0);
          await Promise.all(victims.map(instance => instance.kill()));
          if (victims.length === 0) await cluster.restart('immediate');
          for (const instance of victims) await instance.restart();
          await recovered();
        }
        expect(load.outcomes.dropped).toBeGreaterThan(KILLS);
      },
      { persistent: 8 },
    );
  },
  KILLS * 60_000,
);
