export const PRINCIPAL_TYPES = ['user', 'group', 'org', 'agent', 'anonymous', 'signup'] as const;

/** Kinds of which an organization has one: they are named by its slug. */
export type WholeType = 'org' | 'anonymous' | 'signup';

export function isWhole(type: Principal['type']): type is WholeType {
  return type === 'org' || type === 'anonymous' || type === 'signup';
}

/** Who has, or may have, access to a collection. */
export interface Principal {
  readonly type: (typeof PRINCIPAL_TYPES)[number];
  /** Id of the user or agent, `orgSlug:groupSlug` of the group, or slug of the organization for the kinds of `isWhole`. */
  readonly id: string;
}

export interface MemberInfo {
  readonly userId: string;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

export interface GroupInfo {
  readonly slug: string;
  readonly name: string;
}

export interface AgentInfo {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

/** A principal with the name that people know. */
interface Named extends Principal {
  readonly name: string;
}

/** Those with whom a collection of an organization can be shared, by their kind, in the order of their names. */
export type Directory = Readonly<Record<'user' | 'group' | 'agent', readonly Named[]>>;

export function directoryOf(
  orgSlug: string,
  {
    members,
    groups,
    agents,
  }: {
    readonly members: readonly MemberInfo[];
    readonly groups: readonly GroupInfo[];
    readonly agents: readonly AgentInfo[];
  },
): Directory {
  return {
    user: byName(members.map(member => ({ type: 'user', id: member.userId, name: nameOfMember(member) }))),
    group: byName(
      groups.map(({ slug, name }) => ({ type: 'group', id: `${orgSlug}:${slug}`, name: name || slug })),
    ),
    agent: byName(agents.map(({ id, slug, name }) => ({ type: 'agent', id, name: name || slug }))),
  };
}

/** The name of a principal; its id while the directory is not loaded, and for somebody who has left. */
export function nameIn(directory: Directory | undefined, { type, id }: Principal): string {
  if (isWhole(type)) return id;
  return directory?.[type].find(each => each.id === id)?.name ?? id;
}

function nameOfMember({ userId, email, firstName, lastName }: MemberInfo): string {
  const name = [firstName, lastName].filter(Boolean).join(' ');
  if (name === '') return email ?? userId;
  return email === null ? name : `${name} (${email})`;
}

function byName(names: readonly Named[]): readonly Named[] {
  return names.toSorted((a, b) => a.name.localeCompare(b.name));
}
