import { api } from '../../api/client.js';
import type { GrantParts } from './grant-draft.js';

/** A binding or a key, whose rules and fields can be edited. */
export interface RuledGrant {
  /** Of a binding: its principal. */
  readonly of: { readonly type: string; readonly id: string } | { readonly key: string };
  readonly name: string;
  /** True if it also writes. */
  readonly writes: boolean;
  readonly parts: GrantParts;
  /** How `view_as` names it; undefined for what is no single principal. */
  readonly viewAs: string | undefined;
}

/** Sets rules and fields. The service keeps the limits. */
export function save(collection: string, { of }: RuledGrant, parts: GrantParts): Promise<unknown> {
  const grant = 'key' in of ? { key_id: of.key } : { principal_type: of.type, principal_id: of.id };
  const input = { collection_id: collection, ...grant, ...parts } as never;
  return 'key' in of ? api.apiKeys.updateApiKey(input) : api.sharing.updateAccessBinding(input);
}
