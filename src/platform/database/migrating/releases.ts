/** The newest migration of each release. */
const NEWEST: Readonly<Record<string, string>> = {
  '1.0.0': 'CreateAiUsage1795000019000',
  '1.1.0': 'IndexActorsAndErasures1795000037110',
};

/**
 * What taking a migration back loses; undefined: nothing. A migration that is not listed may lose whatever only its tables
 * and columns have.
 */
const LOSES: Readonly<Record<string, string | undefined>> = {
  KeepChartsVerbatim1795000004100: undefined,
  MarkCollectionsWhoseRecordsExpire1795000012000: undefined,
  NamePlatformEvents1795000013000: undefined,
  CreateAuditChains1795000014000: 'hash chains and checkpoints of audit logs',
  CreateAiUsage1795000019000: 'the counts of calls of language models',
  CountRecordsByQuota1795000023000: undefined,
  ListChangesInTheirTransaction1795000026000: undefined,
  InviteUsers1795000026100: 'invitations of existing users',
  CreateOrgDomains1795000026200: 'proven e-mail domains',
  IndexCollectionNames1795000027000: undefined,
  KeepJobPositions1795000028100: undefined,
  IndexActiveWebhooks1795000028200: undefined,
  RenameJobPositions1795000028300: undefined,
  CreateCollectionViews1795000028600: 'saved views of collections',
  CreatePasskeys1795000028700: 'passkeys',
  CreateRecoveryLinks1795000028710: 'open recovery links',
  ExtendLeasesByStatementTime1795000028900: undefined,
  KeepDeletedCollections1795000029000: 'the collections in the trash',
  CreateTrigrams1795000029300: undefined,
  CreateSchemaChanges1795000029600: undefined,
  CreatePathKeys1795000029700: 'indexes on paths',
  CreateSeenQueries1795000029800: undefined,
  IndexListedCollections1795000029810: undefined,
  IndexAuditedRecords1795000029900: undefined,
  KeepRecordVersions1795000030000: 'the history of records',
  CountErasures1795000030100: undefined,
  MeasureHistories1795000030110: undefined,
  PutBackVersions1795000030200: 'what undo knows of writes',
  IndexTimesOfVersions1795000030300: undefined,
  LeaseMoreCapacity1795000030400: undefined,
  LookUpVersionsByIndex1795000030500: undefined,
  NameCallersOfSchemaChanges1795000030600: undefined,
  RememberHomeOrganizations1795000030700: undefined,
  BindInvitesToTheirMakers1795000030710: 'the makers of invitations, and who has used them',
  KnowMembersByAddress1795000030800: undefined,
  NameRecordsOfMessages1795000030900: undefined,
  TypeRecordVersions1795000031000: undefined,
  NumberRecordVersions1795000031100: undefined,
  ClaimKeysTogether1795000032100: undefined,
  TakeBackMoreReturns1795000032110: undefined,
  NameLowestVersion1795000033000: undefined,
  RememberRemovals1795000034100: 'who was removed from organizations',
  IndexExpiredRows1795000037100: undefined,
  IndexActorsAndErasures1795000037110: undefined,
  NoteChangedFeeds1795000037120: undefined,
  FoldSearchIndexes1795000039200: undefined,
  GiveProvidersRedirectUris1795000039300: 'which identity providers have a redirect URI of their own',
  RefuseInSql1795000040000: undefined,
  CreateOrgSchemasAtOnce1795000041000: undefined,
  TellHowMembersJoined1795000042000: 'who joined anonymously or by the sign-up of an application',
  CreateMailsAndEmailLogins1795000042100:
    'mails that were not sent yet, and sign-ins by e-mail that have begun',
  StoreAuthors1795000043000: 'who inserted each record, and who wrote it last',
  GiveGrantsRules1795000043500:
    'grants with rules, fields or limits, and grants of agents, anonymous and signed-up people',
  RefuseRecords1795000044000: undefined,
  KeepReplacedValues1795000044100: 'what records in change feeds were before updates',
};

/** A migration that is to be taken back, and what is lost with it. */
export interface Loss {
  readonly name: string;
  readonly loses: string | undefined;
}

/** What taking back `name` loses. */
export function lossOf(name: string): Loss {
  return { name, loses: name in LOSES ? LOSES[name] : 'the data that only its tables and columns have' };
}

/**
 * The migration that stays as the newest one: `target` is a released version, a migration, or the number at its end.
 * Undefined when there is none.
 */
export function newestOf(target: string, names: readonly string[]): string | undefined {
  const wanted = NEWEST[target] ?? target;
  return names.find(name => name === wanted || (/^\d{13}$/.test(wanted) && name.endsWith(wanted)));
}

/** The released versions that a database can be taken back to. */
export function releases(): string[] {
  return Object.keys(NEWEST);
}
