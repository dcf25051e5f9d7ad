import { CreateIdentityAndOrgs1795000000000 } from '../../../migrations/1795000000000-create-identity-and-orgs.js';
import { CreateCredentials1795000001000 } from '../../../migrations/1795000001000-create-credentials.js';
import { CreateCollections1795000002000 } from '../../../migrations/1795000002000-create-collections.js';
import { CreateCollectionBindings1795000003000 } from '../../../migrations/1795000003000-create-collection-bindings.js';
import { CreateRateLimits1795000004000 } from '../../../migrations/1795000004000-create-rate-limits.js';
import { KeepChartsVerbatim1795000004100 } from '../../../migrations/1795000004100-keep-charts-verbatim.js';
import { CreateIdempotency1795000005000 } from '../../../migrations/1795000005000-create-idempotency.js';
import { CreateWorkspaces1795000006000 } from '../../../migrations/1795000006000-create-workspaces.js';
import { CreateInvitesAndServiceAccounts1795000007000 } from '../../../migrations/1795000007000-create-invites-and-service-accounts.js';
import { CreateMasterKeys1795000007500 } from '../../../migrations/1795000007500-create-master-keys.js';
import { CreateSsoProviders1795000008000 } from '../../../migrations/1795000008000-create-sso-providers.js';
import { CreateFederatedIdentities1795000009000 } from '../../../migrations/1795000009000-create-federated-identities.js';
import { CreateAuthorizationServer1795000010000 } from '../../../migrations/1795000010000-create-authorization-server.js';
import { CreateChangesAndWebhooks1795000011000 } from '../../../migrations/1795000011000-create-changes-and-webhooks.js';
import { MarkCollectionsWhoseRecordsExpire1795000012000 } from '../../../migrations/1795000012000-mark-collections-whose-records-expire.js';
import { NamePlatformEvents1795000013000 } from '../../../migrations/1795000013000-name-platform-events.js';
import { CreateAuditChains1795000014000 } from '../../../migrations/1795000014000-create-audit-chains.js';
import { CreateAiUsage1795000019000 } from '../../../migrations/1795000019000-create-ai-usage.js';
import { CountRecordsByQuota1795000023000 } from '../../../migrations/1795000023000-count-records-by-quota.js';
import { ListChangesInTheirTransaction1795000026000 } from '../../../migrations/1795000026000-list-changes-in-their-transaction.js';
import { InviteUsers1795000026100 } from '../../../migrations/1795000026100-invite-users.js';
import { CreateOrgDomains1795000026200 } from '../../../migrations/1795000026200-create-org-domains.js';
import { IndexCollectionNames1795000027000 } from '../../../migrations/1795000027000-index-collection-names.js';
import { KeepJobPositions1795000028100 } from '../../../migrations/1795000028100-keep-job-positions.js';
import { IndexActiveWebhooks1795000028200 } from '../../../migrations/1795000028200-index-active-webhooks.js';
import { RenameJobPositions1795000028300 } from '../../../migrations/1795000028300-rename-job-positions.js';
import { CreateCollectionViews1795000028600 } from '../../../migrations/1795000028600-create-collection-views.js';
import { CreatePasskeys1795000028700 } from '../../../migrations/1795000028700-create-passkeys.js';
import { CreateRecoveryLinks1795000028710 } from '../../../migrations/1795000028710-create-recovery-links.js';
import { ExtendLeasesByStatementTime1795000028900 } from '../../../migrations/1795000028900-extend-leases-by-statement-time.js';
import { KeepDeletedCollections1795000029000 } from '../../../migrations/1795000029000-keep-deleted-collections.js';
import { CreateTrigrams1795000029300 } from '../../../migrations/1795000029300-create-trigrams.js';
import { CreateSchemaChanges1795000029600 } from '../../../migrations/1795000029600-create-schema-changes.js';
import { CreatePathKeys1795000029700 } from '../../../migrations/1795000029700-create-path-keys.js';
import { CreateSeenQueries1795000029800 } from '../../../migrations/1795000029800-create-seen-queries.js';
import { IndexListedCollections1795000029810 } from '../../../migrations/1795000029810-index-listed-collections.js';
import { IndexAuditedRecords1795000029900 } from '../../../migrations/1795000029900-index-audited-records.js';
import { KeepRecordVersions1795000030000 } from '../../../migrations/1795000030000-keep-record-versions.js';
import { CountErasures1795000030100 } from '../../../migrations/1795000030100-count-erasures.js';
import { MeasureHistories1795000030110 } from '../../../migrations/1795000030110-measure-histories.js';
import { PutBackVersions1795000030200 } from '../../../migrations/1795000030200-put-back-versions.js';
import { IndexTimesOfVersions1795000030300 } from '../../../migrations/1795000030300-index-times-of-versions.js';
import { LeaseMoreCapacity1795000030400 } from '../../../migrations/1795000030400-lease-more-capacity.js';
import { LookUpVersionsByIndex1795000030500 } from '../../../migrations/1795000030500-look-up-versions-by-index.js';
import { NameCallersOfSchemaChanges1795000030600 } from '../../../migrations/1795000030600-name-callers-of-schema-changes.js';
import { RememberHomeOrganizations1795000030700 } from '../../../migrations/1795000030700-remember-home-organizations.js';
import { BindInvitesToTheirMakers1795000030710 } from '../../../migrations/1795000030710-bind-invites-to-their-makers.js';
import { KnowMembersByAddress1795000030800 } from '../../../migrations/1795000030800-know-members-by-address.js';
import { NameRecordsOfMessages1795000030900 } from '../../../migrations/1795000030900-name-records-of-messages.js';
import { TypeRecordVersions1795000031000 } from '../../../migrations/1795000031000-type-record-versions.js';
import { NumberRecordVersions1795000031100 } from '../../../migrations/1795000031100-number-record-versions.js';
import { ClaimKeysTogether1795000032100 } from '../../../migrations/1795000032100-claim-keys-together.js';
import { TakeBackMoreReturns1795000032110 } from '../../../migrations/1795000032110-take-back-more-returns.js';
import { NameLowestVersion1795000033000 } from '../../../migrations/1795000033000-name-lowest-version.js';
import { RememberRemovals1795000034100 } from '../../../migrations/1795000034100-remember-removals.js';
import { IndexExpiredRows1795000037100 } from '../../../migrations/1795000037100-index-expired-rows.js';
import { IndexActorsAndErasures1795000037110 } from '../../../migrations/1795000037110-index-actors-and-erasures.js';
import { NoteChangedFeeds1795000037120 } from '../../../migrations/1795000037120-note-changed-feeds.js';
import { FoldSearchIndexes1795000039200 } from '../../../migrations/1795000039200-fold-search-indexes.js';
import { GiveProvidersRedirectUris1795000039300 } from '../../../migrations/1795000039300-give-providers-redirect-uris.js';
import { RefuseInSql1795000040000 } from '../../../migrations/1795000040000-refuse-in-sql.js';
import { CreateOrgSchemasAtOnce1795000041000 } from '../../../migrations/1795000041000-create-org-schemas-at-once.js';
import { TellHowMembersJoined1795000042000 } from '../../../migrations/1795000042000-tell-how-members-joined.js';
import { CreateMailsAndEmailLogins1795000042100 } from '../../../migrations/1795000042100-create-mails-and-email-logins.js';
import { StoreAuthors1795000043000 } from '../../../migrations/1795000043000-store-authors.js';
import { GiveGrantsRules1795000043500 } from '../../../migrations/1795000043500-give-grants-rules.js';
import { RefuseRecords1795000044000 } from '../../../migrations/1795000044000-refuse-records.js';
import { KeepReplacedValues1795000044100 } from '../../../migrations/1795000044100-keep-replaced-values.js';

/**
 * Every migration, oldest first. They are listed by name and not found by a file pattern, so that exactly the
 * migrations of this build run.
 */
export const MIGRATIONS = [
  CreateIdentityAndOrgs1795000000000,
  CreateCredentials1795000001000,
  CreateCollections1795000002000,
  CreateCollectionBindings1795000003000,
  CreateRateLimits1795000004000,
  KeepChartsVerbatim1795000004100,
  CreateIdempotency1795000005000,
  CreateWorkspaces1795000006000,
  CreateInvitesAndServiceAccounts1795000007000,
  CreateMasterKeys1795000007500,
  CreateSsoProviders1795000008000,
  CreateFederatedIdentities1795000009000,
  CreateAuthorizationServer1795000010000,
  CreateChangesAndWebhooks1795000011000,
  MarkCollectionsWhoseRecordsExpire1795000012000,
  NamePlatformEvents1795000013000,
  CreateAuditChains1795000014000,
  CreateAiUsage1795000019000,
  CountRecordsByQuota1795000023000,
  ListChangesInTheirTransaction1795000026000,
  InviteUsers1795000026100,
  CreateOrgDomains1795000026200,
  IndexCollectionNames1795000027000,
  KeepJobPositions1795000028100,
  IndexActiveWebhooks1795000028200,
  RenameJobPositions1795000028300,
  CreateCollectionViews1795000028600,
  CreatePasskeys1795000028700,
  CreateRecoveryLinks1795000028710,
  ExtendLeasesByStatementTime1795000028900,
  KeepDeletedCollections1795000029000,
  CreateTrigrams1795000029300,
  CreateSchemaChanges1795000029600,
  CreatePathKeys1795000029700,
  CreateSeenQueries1795000029800,
  IndexListedCollections1795000029810,
  IndexAuditedRecords1795000029900,
  KeepRecordVersions1795000030000,
  CountErasures1795000030100,
  MeasureHistories1795000030110,
  PutBackVersions1795000030200,
  IndexTimesOfVersions1795000030300,
  LeaseMoreCapacity1795000030400,
  LookUpVersionsByIndex1795000030500,
  NameCallersOfSchemaChanges1795000030600,
  RememberHomeOrganizations1795000030700,
  BindInvitesToTheirMakers1795000030710,
  KnowMembersByAddress1795000030800,
  NameRecordsOfMessages1795000030900,
  TypeRecordVersions1795000031000,
  NumberRecordVersions1795000031100,
  ClaimKeysTogether1795000032100,
  TakeBackMoreReturns1795000032110,
  NameLowestVersion1795000033000,
  RememberRemovals1795000034100,
  IndexExpiredRows1795000037100,
  IndexActorsAndErasures1795000037110,
  NoteChangedFeeds1795000037120,
  FoldSearchIndexes1795000039200,
  GiveProvidersRedirectUris1795000039300,
  RefuseInSql1795000040000,
  CreateOrgSchemasAtOnce1795000041000,
  TellHowMembersJoined1795000042000,
  CreateMailsAndEmailLogins1795000042100,
  StoreAuthors1795000043000,
  GiveGrantsRules1795000043500,
  RefuseRecords1795000044000,
  KeepReplacedValues1795000044100,
];
