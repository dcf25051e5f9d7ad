import { access } from './access.js';
import { account } from './account.js';
import { activity } from './activity.js';
import { charts } from './charts.js';
import { collections } from './collections.js';
import { common } from './common.js';
import { edit } from './edit.js';
import { errors } from './errors.js';
import { find } from './find.js';
import { importing } from './import.js';
import { live } from './live.js';
import { organization } from './organization.js';
import { palette } from './palette.js';
import { records } from './records.js';
import { schema } from './schema.js';
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
  find,
  import: importing,
  live,
  organization,
  palette,
  records,
  schema,
  workspaces,
};

type Texts<Area> = { readonly [Name in keyof Area]: string };

/** The shape of every language. */
export type Messages = { readonly [Area in keyof typeof messages]: Texts<(typeof messages)[Area]> };
