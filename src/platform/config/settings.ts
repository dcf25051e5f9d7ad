import { DATA_SETTINGS } from './catalogue/data-settings.js';
import { IDENTITY_SETTINGS } from './catalogue/identity-settings.js';
import { OPERATIONS_SETTINGS } from './catalogue/operations-settings.js';
import { SERVICE_SETTINGS } from './catalogue/service-settings.js';
import type { Setting } from './setting.js';

/** All settings of the service, in the groups and order of `.env.example`. */
export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...IDENTITY_SETTINGS,
  ...DATA_SETTINGS,
  ...OPERATIONS_SETTINGS,
};

type Group = (typeof SETTINGS)[keyof typeof SETTINGS];
type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void
  ? I
  : never;
type Catalogue = UnionToIntersection<Group>;
type SettingValues = {
  readonly [Name in keyof Catalogue]: Catalogue[Name] extends Setting<infer T> ? T : never;
};

/** The settings of this process, parsed and checked once. Injected by this class. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is the injection token, loadSettings makes the values
export abstract class Settings {}
export interface Settings extends SettingValues {
  /** PUBLIC_URL without a trailing slash, or its default. */
  readonly PUBLIC_URL: string;
  /** Of `loopback` what it comes to. */
  readonly OIDC_DYNAMIC_REGISTRATION: 'on' | 'off';
}
