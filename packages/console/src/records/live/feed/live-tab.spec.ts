import {
  ForbiddenError,
  NetworkError,
  PositionExpiredError,
  TcError,
  TooManyRequestsError,
} from '@typed-collections/client';
import { describe, expect, it } from 'vitest';
import { FakeBrowser, FakeService, type FakeTab, pause, settle } from './fake-browser.js';

const refusal = (Refusal: typeof TcError, status: number, code: string) =>
  new Refusal('refused', { code, status });

async function opened(count: number) {
  const service = new FakeService();
  const browser = new FakeBrowser(service);
  const tabs = Array.from({ length: count }, () => browser.open());
  await settle();
  return { service, browser, tabs: tabs as [FakeTab, FakeTab, FakeTab] };
}

describe('tabs that follow a collection', () => {
  it('share one stream, and each gets each change once', async () => {
    const { service, tabs } = await opened(3);
    const written = [service.write(), service.write()];
    await settle();
    expect(service.streams).toBe(1);
    for (const tab of tabs) {
      expect(tab.told).toEqual(written);
      expect(tab.state).toBe('live');
    }
    expect(service.requests.filter(kind => kind === 'stream')).toHaveLength(1);
  });

  it('go on without a gap when the leader closes', async () => {
    const { service, tabs } = await opened(3);
    const written = [service.write()];
    await settle();
    tabs[0].close();
    written.push(service.write(), service.write());
    await settle();
    expect(service.streams).toBe(1);
    expect(tabs[1].told).toEqual(written);
    expect(tabs[2].told).toEqual(written);
    expect(tabs[1].state).toBe('live');
  });

  it('ask for nothing more when the lead changes and nothing was missed', async () => {
    const { service, tabs } = await opened(3);
    service.write();
    await settle();
    service.requests.length = 0;
    tabs[0].close();
    await settle();
    service.write();
    await settle();
    expect(service.requests).toEqual(['stream']);
  });

  it('close the stream when all are hidden, and catch up when one is visible again', async () => {
    const { service, tabs } = await opened(2);
    tabs[0].show(false);
    await settle();
    expect(service.streams).toBe(1);
    tabs[1].show(false);
    await settle();
    expect(service.streams).toBe(0);
    expect(tabs.map(tab => tab?.state)).toEqual(['paused', 'paused']);
    const written = [service.write(), service.write()];
    tabs[0].show(true);
    await settle();
    expect(service.streams).toBe(1);
    expect(tabs[0].told).toEqual(written);
    tabs[1].show(true);
    await settle();
    expect(tabs[1].told).toEqual(written);
    expect(service.streams).toBe(1);
  });

  it('read the page anew after more changes than one answer has', async () => {
    const { service, tabs } = await opened(1);
    service.pageSize = 3;
    tabs[0].show(false);
    await settle();
    for (let n = 0; n < 5; n += 1) service.write();
    tabs[0].show(true);
    await settle();
    expect(tabs[0].begun).toBe(5);
    expect(tabs[0].told).toEqual([]);
    const next = service.write();
    await settle();
    expect(tabs[0].told).toEqual([next]);
  });

  it('read the page anew if the changes after their position are no longer kept', async () => {
    const { service, tabs } = await opened(1);
    tabs[0].show(false);
    await settle();
    service.write();
    service.keptFrom = 1;
    service.expired = refusal(PositionExpiredError, 410, 'PositionExpired');
    tabs[0].show(true);
    await settle();
    expect(tabs[0].begun).toBe(1);
    expect(tabs[0].state).toBe('live');
  });

  it('say that they are refused, with the reason, and stop', async () => {
    const { service, tabs } = await opened(2);
    const reason = refusal(ForbiddenError, 403, 'Forbidden');
    service.break(reason);
    await Promise.all(tabs.map(tab => tab?.end));
    expect(tabs.map(tab => tab?.state)).toEqual(['refused', 'refused']);
    expect(tabs[0].error).toBe(reason);
    expect(service.streams).toBe(0);
  });

  it.each([
    ['is away', new NetworkError('away', undefined)],
    ['gets too many requests', refusal(TooManyRequestsError, 429, 'TooManyRequests')],
    ['waited too long', refusal(TcError, 408, 'HttpError')],
  ])('try again when the service %s', async (_, reason) => {
    const { service, tabs } = await opened(1);
    service.break(reason);
    await settle();
    expect(tabs[0].state).toBe('reconnecting');
    service.failure = undefined;
    const written = [service.write()];
    await expect.poll(() => tabs[0].told).toEqual(written);
  });

  it.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
    'get every change once and in order, whatever opens, closes, hides and shows (random steps %i)',
    async seed => {
      const random = randomFrom(seed);
      const service = new FakeService();
      const browser = new FakeBrowser(service);
      let tabs: FakeTab[] = [browser.open()];
      for (let step = 0; step < 30; step += 1) {
        const what = ['write', 'write', 'write', 'open', 'close', 'hide', 'show'][random(7)];
        const tab = tabs[random(Math.max(tabs.length, 1))];
        if (what === 'write') service.write();
        else if (what === 'open' && tabs.length < 4) tabs.push(browser.open());
        else if (what === 'close' && tab !== undefined) {
          tab.close();
          tabs = tabs.filter(each => each !== tab);
        } else if (what === 'hide') tab?.show(false);
        else if (what === 'show') tab?.show(true);
        if (random(2) === 0) await pause();
        expect(service.streams).toBeLessThanOrEqual(1);
      }
      for (const tab of tabs) tab.show(true);
      await settle();
      service.write();
      await settle();
      for (const tab of tabs) {
        const expected = service.changes.slice(tab.begun).map(({ id }) => id);
        // The leader may also tell of changes shortly before the position of a tab that has just begun.
        expect(tab.told.filter(id => expected.includes(id))).toEqual(expected);
        expect(new Set(tab.told).size).toBe(tab.told.length);
        expect(tab.state).toBe('live');
        tab.close();
      }
      await settle();
    },
  );
});

/** Whole numbers below a bound, always the same for a seed (a linear congruential generator). */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed * 2_654_435_761;
  return bound => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
