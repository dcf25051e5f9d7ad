// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of rules look like this

import { describe, expect, it } from 'vitest';
import { WorkspaceAbility } from './ability.js';
import type { WorkspaceRule } from './workspace-rule.js';

const HERE = 'w1';
const allows = (rules: WorkspaceRule[], ...question: Parameters<WorkspaceAbility['ask']>) =>
  new WorkspaceAbility(rules, HERE, { 'user.id': 'u1' }).ask(...question).allowed;

describe('rules', () => {
  it('allow nothing without a rule, and no more than a rule names', () => {
    expect(allows([], 'read', 'pages')).toBe(false);
    const rules: WorkspaceRule[] = [{ action: ['read', 'update'], subject: 'pages' }];
    expect(allows(rules, 'read', 'pages')).toBe(true);
    expect(allows(rules, 'delete', 'pages')).toBe(false);
    expect(allows(rules, 'manage', 'pages')).toBe(false);
    expect(allows(rules, 'read', 'files')).toBe(false);
  });

  it('allow every action with manage, and every subject with all', () => {
    expect(allows([{ action: 'manage', subject: 'pages' }], 'execute', 'pages')).toBe(true);
    expect(allows([{ action: 'read', subject: 'all' }], 'read', 'automations')).toBe(true);
  });

  it('never reach another workspace, whatever their conditions are', () => {
    const rules: WorkspaceRule[] = [
      { action: 'manage', subject: 'all', conditions: { workspaceId: 'w2', id: 'w2' } },
    ];
    expect(allows(rules, 'read', 'files', { workspaceId: 'w2', id: 'w2' })).toBe(false);
    expect(allows(rules, 'read', 'workspaces', { id: 'w2' })).toBe(false);
    expect(allows([{ action: 'manage', subject: 'all' }], 'read', 'files', { workspaceId: 'w2' })).toBe(
      false,
    );
    expect(allows([{ action: 'manage', subject: 'all' }], 'read', 'workspaces', { id: HERE })).toBe(true);
  });

  it('allow nothing when their conditions name another workspace', () => {
    const elsewhere: WorkspaceRule[] = [{ action: 'manage', subject: 'all', conditions: { id: 'w2' } }];
    expect(allows(elsewhere, 'read', 'workspaces', { id: HERE })).toBe(false);
    expect(allows(elsewhere, 'read', 'workspaces', { id: 'w2' })).toBe(false);
  });

  it('are tested against the resource, whose type is the requested one', () => {
    const rules: WorkspaceRule[] = [{ action: 'read', subject: 'pages', conditions: { public: true } }];
    expect(allows(rules, 'read', 'pages', { public: true })).toBe(true);
    expect(allows(rules, 'read', 'pages', { public: false })).toBe(false);
    expect(allows(rules, 'read', 'pages', {})).toBe(false);
    expect(allows(rules, 'read', 'files', { __caslSubjectType__: 'pages', public: true })).toBe(false);
  });

  it.each([
    [{ $or: [{ a: 1 }, { b: 2 }] }, [{ a: 1 }, { b: 2 }], [{ a: 2 }, {}]],
    [{ $and: [{ a: 1 }, { b: 2 }] }, [{ a: 1, b: 2 }], [{ a: 1 }, { b: 2 }]],
    [{ $nor: [{ a: 1 }, { b: 2 }] }, [{}, { a: 2 }], [{ a: 1 }, { b: 2 }]],
    [{ c: 3, $or: [{ a: { $gt: 1 } }, { $and: [{ b: '${user.id}' }] }] }, [{ c: 3, b: 'u1' }], [{ b: 'u1' }]],
  ])('apply the logical operators of %j', (conditions, matching, others) => {
    const rules: WorkspaceRule[] = [{ action: 'read', subject: 'pages', conditions: conditions as never }];
    for (const resource of matching) expect(allows(rules, 'read', 'pages', resource as never)).toBe(true);
    for (const resource of others) expect(allows(rules, 'read', 'pages', resource as never)).toBe(false);
    const elsewhere = { ...matching[0], workspaceId: 'w2' };
    expect(allows(rules, 'read', 'pages', elsewhere as never)).toBe(false);
  });

  it('are limited to their fields', () => {
    const rules: WorkspaceRule[] = [{ action: 'update', subject: 'pages', fields: ['title', 'meta.*'] }];
    expect(allows(rules, 'update', 'pages', {}, 'title')).toBe(true);
    expect(allows(rules, 'update', 'pages', {}, 'meta.tags')).toBe(true);
    expect(allows(rules, 'update', 'pages', {}, 'body')).toBe(false);
  });
});

describe('inverted rules', () => {
  it('win by the higher priority, then by the later position', () => {
    const allow: WorkspaceRule = { action: 'read', subject: 'pages' };
    const forbid: WorkspaceRule = { action: 'read', subject: 'pages', inverted: true };
    expect(allows([allow, forbid], 'read', 'pages')).toBe(false);
    expect(allows([forbid, allow], 'read', 'pages')).toBe(true);
    expect(allows([{ ...forbid, priority: 1 }, allow], 'read', 'pages')).toBe(false);
    expect(allows([allow, { ...forbid, priority: -1 }], 'read', 'pages')).toBe(true);
  });

  it('give the reason of the rule', () => {
    const rules: WorkspaceRule[] = [
      { action: 'read', subject: 'pages' },
      { action: 'read', subject: 'pages', inverted: true, reason: 'Closed on Sundays.' },
    ];
    const ability = new WorkspaceAbility(rules, HERE, {});
    expect(ability.ask('read', 'pages')).toEqual({ allowed: false, reason: 'Closed on Sundays.' });
    expect(ability.ask('read', 'files')).toEqual({ allowed: false, reason: 'No rule allows it.' });
  });
});

describe('placeholders', () => {
  const own: WorkspaceRule = { action: 'read', subject: 'files', conditions: { ownerId: '${user.id}' } };

  it('are replaced by the values of the call', () => {
    expect(allows([own], 'read', 'files', { ownerId: 'u1' })).toBe(true);
    expect(allows([own], 'read', 'files', { ownerId: 'u2' })).toBe(false);
    expect(allows([own], 'read', 'files', { ownerId: '${user.id}' })).toBe(false);
  });

  it('without a value make a rule allow nothing, even without a resource', () => {
    for (const name of ['${session.id}', '${run.sourceWorkspaceId}', 'x-${session.id}']) {
      const rules = [{ ...own, conditions: { ownerId: { $ne: name } } }];
      expect(allows(rules, 'read', 'files', { ownerId: 'u2' })).toBe(false);
      expect(allows(rules, 'read', 'files', { ownerId: '' })).toBe(false);
      expect(allows(rules, 'read', 'files')).toBe(false);
    }
  });

  it('without a value make an inverted rule forbid regardless of its conditions', () => {
    const rules: WorkspaceRule[] = [
      { action: 'read', subject: 'files' },
      { action: 'read', subject: 'files', inverted: true, conditions: { ownerId: '${session.id}' } },
    ];
    expect(allows(rules, 'read', 'files', { ownerId: 'u1' })).toBe(false);
  });

  it('are not expanded within values', () => {
    const ability = new WorkspaceAbility([own], HERE, { 'user.id': "$&${session.id}$'" });
    expect(ability.ask('read', 'files', { ownerId: "$&${session.id}$'" }).allowed).toBe(true);
  });
});

const from = (id: string) => ({ 'run.sourceWorkspaceId': id });

describe('the source of a call', () => {
  const fromThere: WorkspaceRule = {
    action: 'read',
    subject: 'files',
    conditions: { 'run.sourceWorkspaceId': 'w2' },
  };
  const ability = (rules: WorkspaceRule[], source?: string) =>
    new WorkspaceAbility(rules, HERE, source === undefined ? {} : { 'run.sourceWorkspaceId': source });

  it('comes from the runtime, never from a resource', () => {
    expect(ability([fromThere], 'w2').ask('read', 'files', {}).allowed).toBe(true);
    expect(ability([fromThere], 'w3').ask('read', 'files', {}).allowed).toBe(false);
    const claimed = { run: { sourceWorkspaceId: 'w2' }, 'run.sourceWorkspaceId': 'w2' };
    const nested: WorkspaceRule = { ...fromThere, conditions: { $or: [fromThere.conditions as never] } };
    for (const rule of [fromThere, nested]) {
      expect(ability([rule]).ask('read', 'files', claimed).allowed).toBe(false);
      expect(ability([rule], 'w3').ask('read', 'files', claimed).allowed).toBe(false);
    }
  });

  it('also counts without a resource', () => {
    expect(ability([fromThere], 'w2').ask('read', 'files').allowed).toBe(true);
    expect(ability([fromThere], 'w3').ask('read', 'files').allowed).toBe(false);
    expect(ability([fromThere]).ask('read', 'files').allowed).toBe(false);
  });

  it.each<[object, string | undefined, boolean]>([
    [{ $or: [from('w2'), from('w3')] }, 'w3', true],
    [{ $or: [from('w2'), from('w3')] }, 'w4', false],
    [{ $or: [from('w2'), { name: 'a' }] }, 'w4', true],
    [{ $and: [{ $or: [from('w2')] }, { name: 'a' }] }, 'w2', true],
    [{ $and: [{ $or: [from('w2')] }, { name: 'a' }] }, 'w3', false],
    [{ $nor: [from('w2'), { name: 'b' }] }, 'w2', false],
    [{ $nor: [from('w2'), { name: 'b' }] }, 'w3', true],
    [{ $nor: [{ $nor: [from('w2')] }] }, 'w2', true],
    [{ $nor: [{ $nor: [from('w2')] }] }, undefined, false],
    [{ 'run.sourceWorkspaceId.x': { $exists: true } }, 'w2', false],
  ])('within %j counts for %s with and without a resource: %s', (conditions, source, allowed) => {
    const rule = { ...fromThere, conditions } as WorkspaceRule;
    expect(ability([rule], source).ask('read', 'files').allowed).toBe(allowed);
    expect(ability([rule], source).ask('read', 'files', { name: 'a' }).allowed).toBe(allowed);
    // What allows a resource forbids it when inverted.
    const rules: WorkspaceRule[] = [
      { action: 'read', subject: 'files' },
      { ...rule, inverted: true },
    ];
    expect(ability(rules, source).ask('read', 'files', { name: 'a' }).allowed).toBe(!allowed);
  });

  it('can be forbidden what other callers can do', () => {
    const rules: WorkspaceRule[] = [
      { action: 'read', subject: 'files' },
      { ...fromThere, inverted: true },
    ];
    expect(ability(rules, 'w2').ask('read', 'files').allowed).toBe(false);
    expect(ability(rules, 'w3').ask('read', 'files').allowed).toBe(true);
    expect(ability(rules).ask('read', 'files').allowed).toBe(true);
  });
});

describe('a resource of an unexpected type', () => {
  it.each([
    [{ items: { $elemMatch: { x: { $gt: 1 } } } }, { items: [null] }],
    [{ size: { $gt: 1 } }, { size: { valueOf: 1, toString: 1 } }],
  ])('is refused: %j of %j', (conditions, resource) => {
    const rules: WorkspaceRule[] = [
      { action: 'read', subject: 'files' },
      { action: 'read', subject: 'files', inverted: true, conditions },
    ];
    expect(allows(rules, 'read', 'files', resource as never)).toBe(false);
  });
});
