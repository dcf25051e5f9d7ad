import { invalid } from '../../base/kernel/errors.js';
import { isPermission } from '../../base/kernel/permission.js';
import {
  type FieldOptions,
  IntegerField,
  JsonField,
  TextField,
  TextListField,
} from '../../platform/http/field.decorators.js';

const MAX_PERMISSIONS = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SCOPE = /^(\*|[a-z0-9-]+:(\*|[A-Za-z0-9_-]{1,64}))$/;

/** A list of permissions, `product[:resource]:action` with `*` as the last part only. */
export function PermissionsField(options: Omit<FieldOptions, 'description'>) {
  return JsonField({
    ...options,
    description:
      'Permissions of the form `product[:resource]:action`. `*` as the last part covers everything below.',
    schema: { type: 'array', items: { type: 'string' }, maxItems: MAX_PERMISSIONS },
    expects: `a list of at most ${MAX_PERMISSIONS} permissions like collections:read`,
    check: value =>
      Array.isArray(value) &&
      value.length <= MAX_PERMISSIONS &&
      value.every(each => typeof each === 'string' && isPermission(each)),
  });
}

/** A list of scopes, `type:id` or `type:*`; an empty list means all resources. */
export function ScopesField() {
  return TextListField({
    optional: true,
    max: 1000,
    pattern: SCOPE,
    hint: 'the form type:id or type:*',
    description:
      'Resources that the permissions are limited to, as `type:id` or `type:*`. Empty: all resources.',
    example: ['collections:*'],
  });
}

export function SlugField(options: FieldOptions) {
  return TextField({ ...options, max: 64, pattern: /^[a-z0-9][a-z0-9_-]*$/, hint: 'a-z 0-9 _ -' });
}

/** How long the secret before a rotation stays valid. */
export function GraceSecondsField() {
  return IntegerField({
    optional: true,
    min: 0,
    max: 86_400,
    default: 0,
    description: 'Seconds during which the old secret stays valid.',
    example: 3600,
  });
}

/** The slug of an API key of an organization or a collection. */
export function KeySlugField(example: string) {
  return TextField({
    max: 64,
    pattern: /^[A-Za-z0-9][A-Za-z0-9_-]*$/,
    hint: 'A-Z a-z 0-9 _ -, a letter or digit first',
    description: 'Unique among the keys of the organization.',
    example,
  });
}

export function NameField(options: Partial<FieldOptions> & { example: string }) {
  return TextField({ description: 'Name shown to people.', max: 200, ...options });
}

/** An id, in the lower case in which responses contain it. */
export function IdField(options: FieldOptions) {
  return TextField({ ...options, max: 36, pattern: UUID, hint: 'a uuid in lower case', format: 'uuid' });
}

/** The properties that the client sent, including null. Absent ones are undefined in a DTO. */
export function sentFields<T extends object>(body: T): Partial<T> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The sent properties of a PATCH; 400 when there are none. */
export function sentChange<T extends object>(body: T): Partial<T> {
  const change = sentFields(body);
  if (Object.keys(change).length === 0) throw invalid('The body contains nothing to change.');
  return change;
}
