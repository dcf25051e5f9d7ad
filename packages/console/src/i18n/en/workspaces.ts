// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of rules look like this

/** Texts of this area. */
export const workspaces = {
  title: 'Workspaces',
  text: 'A workspace groups people, roles, rules and API keys of the organization, for a team or an application.',
  none: 'There are no workspaces yet',
  noneText:
    'You see those in which you have a role, and all of them if your role in the organization says so.',
  more: 'Show more',
  create: 'New workspace',
  description: 'Description',
  slugHint: 'Unique in the organization. Programs name the workspace by it.',
  updated: 'Changed',
  path: 'Path',
  yourRole: 'your role: {role}',
  since: 'Since',
  notJson: 'This is not a JSON object.',

  check: 'Check who may',
  checkText: 'Asks the service whether something is allowed, and which rule decides.',
  checkIt: 'Check',
  action: 'Action',
  subject: 'Kind of resource',
  resource: 'Resource',
  resourceHint: 'Its fields as JSON, for example {"authorId": "42"}. Empty: any resource of this kind.',
  allowed: 'Allowed. {reason}',
  refused: 'Not allowed. {reason}',

  people: 'People',
  peopleText:
    'Who works in the workspace. Members of the organization who may administer all workspaces are not listed.',
  peopleNone: 'Nobody has a role here yet.',
  addPerson: 'Add a person',
  removePersonTitle: 'Remove {name} from {workspace}?',
  removePersonText: 'The person loses the role here at once, and stays a member of the organization.',

  rolesText: 'Every workspace has owners and editors. Rules say what other roles allow.',
  roleNameHint: 'A-Z a-z 0-9 _ - with a letter or digit first.',
  deleteRoleText:
    'The rules for this role are deleted with it. The service refuses it while somebody has the role.',

  rules: 'Rules',
  rulesText:
    'The rule with the higher priority wins, then the later one. No rule restricts those who administer the workspace.',
  rulesNone: 'There are no rules yet.',
  rule: 'Rule',
  newRule: 'New rule',
  changeRule: 'Change the rule',
  deleteRuleTitle: 'Delete this rule?',
  ruleAllows: '{who} may {actions}: {subjects}',
  ruleForbids: '{who} may not {actions}: {subjects}',
  onlyFields: 'only the fields {fields}',
  everybody: 'everybody',
  effect: 'The rule',
  allows: 'allows',
  forbids: 'forbids',
  for: 'For',
  ruleActions: 'Actions (manage is all of them)',
  subjects: 'Kinds of resources',
  conditions: 'Conditions',
  conditionsHint:
    'A MongoDB query on the fields of the resource, as JSON, for example {"authorId": "${user.id}"}. Empty: every resource.',
  fields: 'Only these fields',
  fieldsHint: 'Names separated by commas, for example name, address.*. Empty: all.',
  priority: 'Priority',
  priorityHint: 'From -1000 to 1000.',
  reason: 'Reason',
  reasonHint: 'Shown in the result of a check.',
  changedMeanwhile:
    'Somebody else has changed this rule meanwhile. Close the dialog to see the rules as they are now.',

  keysText: 'A key does what its own rules allow in this workspace, and nothing else.',
  keyConditions: 'The rules of this key have conditions. They can be changed with the API.',
  delete: 'Delete the workspace',
  deleteText: 'Its roles, rules and API keys are deleted with it.',
  deleteTitle: 'Delete the workspace “{name}”?',
  deleteWarning: 'It cannot be brought back. Its API keys stop working at once.',
  who: 'Who',
};
