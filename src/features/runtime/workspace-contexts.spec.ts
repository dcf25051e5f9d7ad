import { expect, it } from 'vitest';
import { nestedPermissions } from './workspace-contexts.service.js';

it.each<[string[], object]>([
  [[], {}],
  [['orgs:apikeys:manage'], { orgs: { apikeys: { manage: true } } }],
  [['collections:read'], { collections: { '*': { read: true } } }],
  [['collections:*'], { collections: { '*': { '*': true } } }],
  [['orgs:apikeys:*'], { orgs: { apikeys: { '*': true } } }],
  [['*'], { '*': { '*': { '*': true } } }],
  [
    ['orgs:apikeys:manage', 'orgs:manage', 'orgs:apikeys:read', 'agents:act'],
    {
      orgs: { apikeys: { manage: true, read: true }, '*': { manage: true } },
      agents: { '*': { act: true } },
    },
  ],
  [['constructor:read'], { constructor: { '*': { read: true } } }],
])('nests %j as %j', (permissions, nested) => {
  expect(nestedPermissions(permissions)).toEqual(nested);
});
