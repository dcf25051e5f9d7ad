import type { Messages } from '../en/index.js';
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

/** The French texts. */
export const messages: Messages = {
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
