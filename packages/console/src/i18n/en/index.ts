import { account } from './account.js';
import { access } from './collection/access.js';
import { activity } from './collection/activity.js';
import { charts } from './collection/charts.js';
import { edit } from './collection/edit.js';
import { find } from './collection/find.js';
import { history } from './collection/history.js';
import { importing } from './collection/import.js';
import { live } from './collection/live.js';
import { records } from './collection/records.js';
import { schema } from './collection/schema.js';
import { collections } from './collections.js';
import { common } from './common.js';
import { errors } from './errors.js';
import { events } from './events.js';
import { exporting } from './export.js';
import { organization } from './organization.js';
import { organizationSettings } from './organization-settings.js';
import { palette } from './palette.js';
import { workspaces } from './workspaces.js';

/** The English texts by area. i18n/fr has the same areas and names; the compiler checks that none is missing. */
export const messages = {
  access,
  account,
  activity,
  charts,
  collections,
  common,
  edit,
  errors,
  events,
  export: exporting,
  find,
  history,
  import: importing,
  live,
  organization: { ...organization, ...organizationSettings },
  palette,
  records,
  schema,
  workspaces,
};

type Texts<Area> = { readonly [Name in keyof Area]: string };

/** The shape of every language. */
export type Messages = { readonly [Area in keyof typeof messages]: Texts<(typeof messages)[Area]> };
