import { describe, expect, it } from 'vitest';
import type { Principal } from '../../base/kernel/principal.js';
import type { Requirement } from '../../platform/http/requires.decorator.js';
import { admits } from './authentication.step.js';

const CALLERS = {
  session: { credential: 'jwt', firstParty: true },
  thirdParty: { credential: 'jwt', firstParty: false },
  accessToken: { credential: 'access-token', firstParty: true },
  key: { credential: 'org-api-key', firstParty: true },
  serviceAccount: { credential: 'service-account', firstParty: true },
  collectionKey: { credential: 'org-api-key', firstParty: true, collectionId: 'c1' },
} as const;

const admitted = (requirement: Requirement) =>
  Object.entries(CALLERS)
    .filter(([, caller]) => admits(requirement, caller as unknown as Principal))
    .map(([name]) => name);

describe('a route', () => {
  it.each<[string, Requirement, string[]]>([
    [
      'for any caller',
      { caller: 'any' },
      ['session', 'thirdParty', 'accessToken', 'key', 'serviceAccount', 'collectionKey'],
    ],
    ['for persons', { caller: 'person' }, ['session', 'accessToken']],
    ['for sessions', { caller: 'session' }, ['session']],
    [
      'of an organization',
      { org: 'member' },
      ['session', 'accessToken', 'key', 'serviceAccount', 'collectionKey'],
    ],
    [
      'of a product',
      { product: 'collections:create' },
      ['session', 'thirdParty', 'accessToken', 'key', 'serviceAccount', 'collectionKey'],
    ],
    [
      'of a collection',
      { collection: 'read' },
      ['session', 'thirdParty', 'accessToken', 'key', 'serviceAccount', 'collectionKey'],
    ],
    [
      'of the runtime behind the gateway',
      { forwarded: 'runtime' },
      ['session', 'thirdParty', 'accessToken', 'key', 'serviceAccount', 'collectionKey'],
    ],
    [
      'of another service behind it',
      { forwarded: 'service' },
      ['session', 'accessToken', 'key', 'serviceAccount'],
    ],
    [
      'of a workspace',
      { workspace: 'list' },
      ['session', 'accessToken', 'key', 'serviceAccount', 'collectionKey'],
    ],
  ])('%s admits exactly these callers', (_, requirement, callers) => {
    expect(admitted(requirement)).toEqual(callers);
  });
});
