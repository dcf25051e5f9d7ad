import { describe, expect, it } from 'vitest';
import { keyPrefix, newKeyText, orgSlugOf } from './key-text.js';

const UUID = '3f6c1c9e-7d1b-4c0a-9a54-2b8e6f0a1f3c';

describe('the text of an organization key', () => {
  it.each(['acme', 'a-b', 'a_b', 'acme_iak_x', '0_', 'a'.repeat(40)])('contains its slug %s', slug => {
    expect(orgSlugOf(newKeyText(slug))).toBe(slug);
  });

  it('is different for every key', () => {
    expect(newKeyText('acme')).not.toBe(newKeyText('acme'));
  });

  it.each([
    ['no slug', `iak_${UUID}`],
    ['an empty slug', `iak__${UUID}`],
    ['a slug of one character', `iak_a_${UUID}`],
    ['a slug of 41 characters', `iak_${'a'.repeat(41)}_${UUID}`],
    ['capitals in the slug', `iak_Acme_${UUID}`],
    ['capitals in the uuid', `iak_acme_${UUID.toUpperCase()}`],
    ['another uuid version', `iak_acme_${UUID.replace('-4c0a', '-7c0a')}`],
    ['another prefix', `wak_acme_${UUID}`],
    ['no underscore before the uuid', `iak_acme-${UUID}`],
    ['a leading space', ` iak_acme_${UUID}`],
    ['a trailing line feed', `iak_acme_${UUID}\n`],
    ['text after the uuid', `iak_acme_${UUID}0`],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(orgSlugOf(text)).toBeUndefined();
  });

  it('is shown by its start and last four characters only', () => {
    expect(keyPrefix(`iak_acme_${UUID}`)).toBe('iak_acme_…1f3c');
  });
});
