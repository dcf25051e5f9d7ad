import { expect, it } from 'vitest';
import { underLoad } from './trial.js';

it('an instance killed with kill -9 takes nothing along that was acknowledged, and the other goes on', () =>
  underLoad('`kill -9` of an instance, one after the other', async ({ service, load, recovered }) => {
    for (const instance of service.instances) {
      const { dropped } = load.outcomes;
      await instance.kill();
      await recovered();
      await load.acknowledge(100);
      expect(load.outcomes.dropped).toBeGreaterThan(dropped);
      await instance.restart();
      await recovered();
    }
    expect(load.outcomes.refused).toBe(0);
  }));
