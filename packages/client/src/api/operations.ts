// Written by packages/client/scripts/generate-api.mjs from docs/openapi.json. Do not edit.

export interface Schemas {
  AbandonedChangeView: {
    abandoned: boolean;
  };
  AccessBindingView: {
    rules?: {
      read?:
        | boolean
        | {
            [key: string]: unknown;
          };
      create?:
        | boolean
        | {
            [key: string]: unknown;
          };
      update?:
        | boolean
        | {
            [key: string]: unknown;
          };
      becomes?:
        | boolean
        | {
            [key: string]: unknown;
          };
      delete?:
        | boolean
        | {
            [key: string]: unknown;
          };
    };
    fields?: {
      read?: {
        [key: string]: 0 | 1;
      };
      write?: {
        [key: string]: 0 | 1;
      };
    };
    limits?: {
      reads_per_minute?: number;
      writes_per_minute?: number;
    };
    object: 'collection.access';
    collection_id: string;
    principal_type: 'user' | 'group' | 'org' | 'agent' | 'anonymous' | 'signup';
    principal_id: string;
    role: 'reader' | 'editor' | 'admin' | 'owner';
    email?: string;
  };
  AccessExplanationView: {
    object: 'collection.access_explanation';
    collection_id: string;
    principal_type: 'user' | 'group' | 'org' | 'agent' | 'anonymous' | 'signup';
    principal_id: string;
    role: 'reader' | 'editor' | 'admin' | 'owner' | null;
    permissions: string[] | null;
    rights: Schemas['RightView'][];
    paths: Schemas['AccessPathView'][];
  };
  AccessListView: {
    object: 'list';
    items: Schemas['AccessBindingView'][];
    total: number;
  };
  AccessPathView: {
    path:
      | 'membership'
      | 'scopes'
      | 'owner'
      | 'agent_ids'
      | 'user'
      | 'group'
      | 'org'
      | 'anonymous'
      | 'signup'
      | 'org_role';
    principal_id?: string;
    outcome: 'grants' | 'none' | 'denies';
    role?: 'reader' | 'editor' | 'admin' | 'owner';
  };
  AccessTokenListView: {
    results: Schemas['AccessTokenView'][];
    total: number;
  };
  AccessTokenView: {
    _id: string;
    name: string;
    prefix: string;
    userId: string;
    createdAt: string;
    expiresAt: string;
    lastUsedAt: string | null;
  };
  ActiveOrgView: {
    slug: string;
    name: string;
    role: Schemas['HeldRoleView'];
    groups: string[];
    settings: {
      [key: string]: unknown;
    };
    subscription: {
      [key: string]: unknown;
    };
  };
  AddedInvitationView: {
    id: string;
    email: string | null;
    userId?: string;
    roleSlug: string;
    groups: string[];
    maxUses: number;
    uses: number;
    expiresAt: string | null;
    invitedBy: string | null;
    createdAt: string;
    mailed?: true;
  };
  AddedMembersView: {
    results: Schemas['MemberView'][];
    total: number;
    invitations: Schemas['AddedInvitationView'][];
  };
  AdviceItemView: {
    index: Schemas['IndexView'];
    reason: 'missing' | 'unused';
    queries_seen: number;
    avg_ms: number | null;
    sample: Schemas['QuerySampleView'] | null;
  };
  AdviceView: {
    items: Schemas['AdviceItemView'][];
  };
  AgentListView: {
    results: Schemas['AgentView'][];
    total: number;
  };
  AgentView: {
    id: string;
    slug: string;
    name: string;
    createdAt: string;
    updatedAt: string;
  };
  AggregateStepBody: {
    type:
      | 'sum'
      | 'avg'
      | 'count'
      | 'min'
      | 'max'
      | 'median'
      | 'percentile'
      | 'stddev'
      | 'count_distinct'
      | 'first'
      | 'last';
    input_field?: string;
    output_field: string;
    filter?: {
      [key: string]: unknown;
    };
    at?: number;
    sort?: {
      [key: string]: 1 | -1;
    };
  };
  AggregatedRecords: {
    operation?: 'aggregate';
    steps: Schemas['AggregateStepBody'][];
    filter?: {
      [key: string]: unknown;
    };
    group_by?:
      | string
      | {
          field: string;
          every?: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';
          zone?: string;
          step?: number;
          as?: string;
        }
      | (
          | string
          | {
              field: string;
              every?: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';
              zone?: string;
              step?: number;
              as?: string;
            }
        )[];
    fill?: boolean;
    sort?: {
      [key: string]: unknown;
    };
    limit?: number;
    having?: {
      [key: string]: unknown;
    };
    as_of?: string;
  };
  AnonymousBody: {
    enabled: boolean;
    role: string;
  };
  AnonymousLoginView: {
    userId: string;
    sessionId: string;
    token: string;
    expires: string;
  };
  ApiKeyListView: {
    object: 'list';
    items: Schemas['ApiKeyView'][];
    total: number;
  };
  ApiKeyView: {
    rules?: {
      read?:
        | boolean
        | {
            [key: string]: unknown;
          };
      create?:
        | boolean
        | {
            [key: string]: unknown;
          };
      update?:
        | boolean
        | {
            [key: string]: unknown;
          };
      becomes?:
        | boolean
        | {
            [key: string]: unknown;
          };
      delete?:
        | boolean
        | {
            [key: string]: unknown;
          };
    };
    fields?: {
      read?: {
        [key: string]: 0 | 1;
      };
      write?: {
        [key: string]: 0 | 1;
      };
    };
    limits?: {
      reads_per_minute?: number;
      writes_per_minute?: number;
    };
    id: string;
    object: 'collection.api_key';
    collection_id: string;
    slug: string;
    name: string;
    scope: string;
    permissions: string[];
    expires_at: number | null;
    created_at: string;
    last_used_at: string | null;
    prefix: string;
  };
  ApplicationListView: {
    results: Schemas['ApplicationView'][];
    total: number;
  };
  ApplicationView: {
    sessionId: string;
    clientId: string;
    name: string;
    own: boolean;
    scopes: string[];
    createdAt: string;
    lastUsedAt: string;
    expiresAt: string;
  };
  AppliedIndexesView: {
    indexes: Schemas['IndexView'][];
    uniques: Schemas['IndexView'][];
    applied: boolean;
    collection_id: string;
    dry_run?: boolean;
    created?: Schemas['IndexSetView'];
    dropped?: Schemas['IndexSetView'];
  };
  AskFeatureView: {
    model: string;
  };
  AttributesMappingBody: {
    email?: string;
    firstName?: string;
    lastName?: string;
  };
  AttributesMappingView: {
    email: string;
    firstName: string;
    lastName: string;
  };
  AuditActorView: {
    type: 'user' | 'agent' | 'key' | 'service-account' | 'workspace';
    id: string;
    via: 'rest' | 'mcp' | 'job' | 'cli';
  };
  AuditChangesView: {
    before: {
      [key: string]: unknown;
    } | null;
    after: {
      [key: string]: unknown;
    } | null;
    undoes?: string[];
    inserted?: number;
    updated?: number;
    deleted?: number;
  };
  AuditCheckpointListView: {
    results: Schemas['AuditCheckpointView'][];
    total: number;
  };
  AuditCheckpointView: {
    createdAt: string;
    seq: number;
    hash: string;
    prunedSeq: number;
    statement: string;
    signature: string;
    key: {
      [key: string]: unknown;
    };
  };
  AuditEventView: {
    id: string;
    type: string;
    createdAt: string;
    orgSlug: string;
    actor: Schemas['AuditActorView'];
    target: Schemas['AuditTargetView'];
    count: number | null;
    record_ids: string[] | null;
    changes: Schemas['AuditChangesView'] | null;
    correlationId: string | null;
    ip: string | null;
  };
  AuditPageView: {
    items: Schemas['AuditEventView'][];
    next_cursor: string | null;
  };
  AuditTargetView: {
    type: string;
    id: string;
    name: string | null;
  };
  AuthorizationsBody: {
    roles?: {
      [key: string]: {
        description?: string;
      };
    };
    rules?: Schemas['RuleBody'][];
  };
  AuthorizationsView: {
    roles: {
      [key: string]: {
        description?: string;
      };
    };
    rules: Schemas['RuleBody'][];
  };
  CallingPrincipalView: {
    type: 'user' | 'agent' | 'key' | 'service-account';
    id: string;
    slug: string | null;
  };
  ChartsView: {
    collection_id: string;
    charts: {
      [key: string]: unknown;
    }[];
  };
  CollaboratorListView: {
    results: Schemas['CollaboratorView'][];
    total: number;
  };
  CollaboratorTargetBody: {
    id?: string;
    email?: string;
  };
  CollaboratorView: {
    target: Schemas['TargetView'];
    role: string;
    createdAt: string;
  };
  CollectionListView: {
    items: Schemas['CollectionView'][];
    total: number;
    page: number;
    limit: number;
  };
  CollectionSettingsBody: {
    ttl_days?: number;
    max_records?: number;
    history_days?: number;
  };
  CollectionSettingsView: {
    ttl_days: number;
    max_records: number;
    history_days: number;
  };
  CollectionView: {
    collection_id: string;
    name: string;
    description: string | null;
    owner_id: string | null;
    owner_type: 'user' | 'agent';
    owner_name: string | null;
    my_role: 'reader' | 'editor' | 'admin' | 'owner';
    my_rights: ('read' | 'write' | 'manage' | 'share' | 'keys' | 'webhooks' | 'delete')[];
    my_access: Schemas['MyAccessView'];
    agent_ids: string[];
    orgSlug: string;
    settings: Schemas['CollectionSettingsView'];
    schema: {
      [key: string]: Schemas['ColumnView'];
    };
    indexes: Schemas['IndexView'][];
    uniques: Schemas['IndexView'][];
    charts: {
      [key: string]: unknown;
    }[];
    row_count: number | null;
    history_bytes: number | null;
    status: 'ready' | 'building';
    change?: Schemas['SchemaChangeView'];
    created_at: string;
    updated_at: string;
  };
  ColumnChangeView: {
    column: string;
    before: Schemas['ColumnView'] | null;
    after: Schemas['ColumnView'];
  };
  ColumnView: {
    type: 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'datetime' | 'json' | 'array';
    nullable: boolean;
  };
  ContextOrgView: {
    slug: string;
    name: string;
    role: Schemas['ContextRoleView'];
    groups: string[];
    settings: {
      [key: string]: unknown;
    };
    subscription: {
      [key: string]: unknown;
    };
  };
  ContextRoleView: {
    slug: string | null;
    permissions: string[];
    scopes: string[];
  };
  ContextRunView: {
    permissions: {
      [key: string]: unknown;
    };
    scopes: string[];
    correlationId: string;
    sourceWorkspaceId: string | null;
  };
  ContextSessionView: {
    id: string | null;
    org: Schemas['ContextOrgView'] | null;
  };
  ContextUserView: {
    id: string | null;
    email: string | null;
    role: string | null;
    orgSlugs: string[];
  };
  ContextView: {
    session: Schemas['ContextSessionView'];
    user: Schemas['ContextUserView'];
    run: Schemas['ContextRunView'];
  };
  CreatedApiKeyView: {
    rules?: {
      read?:
        | boolean
        | {
            [key: string]: unknown;
          };
      create?:
        | boolean
        | {
            [key: string]: unknown;
          };
      update?:
        | boolean
        | {
            [key: string]: unknown;
          };
      becomes?:
        | boolean
        | {
            [key: string]: unknown;
          };
      delete?:
        | boolean
        | {
            [key: string]: unknown;
          };
    };
    fields?: {
      read?: {
        [key: string]: 0 | 1;
      };
      write?: {
        [key: string]: 0 | 1;
      };
    };
    limits?: {
      reads_per_minute?: number;
      writes_per_minute?: number;
    };
    id: string;
    object: 'collection.api_key';
    collection_id: string;
    slug: string;
    name: string;
    scope: string;
    permissions: string[];
    expires_at: number | null;
    created_at: string;
    last_used_at: string | null;
    prefix: string;
    secret: string;
  };
  CreatedCollectionView: {
    collection_id: string;
    name: string;
    owner_id: string;
    owner_type: 'user' | 'agent';
    status: 'ready' | 'building';
    schema_applied: boolean;
  };
  CreatedInviteView: {
    id: string;
    email: string | null;
    userId?: string;
    roleSlug: string;
    groups: string[];
    maxUses: number;
    uses: number;
    expiresAt: string | null;
    invitedBy: string | null;
    createdAt: string;
    code: string;
    url: string;
    mailed?: true;
  };
  CreatedWebhookView: {
    id: string;
    object: 'collection.webhook';
    collection_id: string;
    url: string;
    events: ('inserted' | 'updated' | 'deleted' | 'expired' | 'left')[];
    filter: {
      [key: string]: unknown;
    } | null;
    status: 'active' | 'paused' | 'failing' | 'gone';
    failing_since: string | null;
    created_at: string;
    updated_at: string;
    secret: string;
  };
  DeletedApiKeyView: {
    deleted: boolean;
  };
  DeletedCollectionView: {
    deleted: boolean;
    restorable_until?: string;
  };
  DeletedView: {
    deleted: boolean;
  };
  DeletedWebhookView: {
    deleted: boolean;
  };
  DeliveryPageView: {
    items: Schemas['DeliveryView'][];
    next_cursor: string | null;
  };
  DeliveryView: {
    id: string;
    status: 'pending' | 'delivered' | 'dead';
    changes: number;
    attempts: number;
    last_status: number | null;
    last_attempt_at: string | null;
    due_at: string | null;
    created_at: string;
  };
  DiscoveryView: {
    issuer: string;
    authorization_endpoint: string;
    token_endpoint: string;
    device_authorization_endpoint: string;
    jwks_uri: string;
    revocation_endpoint: string;
    introspection_endpoint: string;
    end_session_endpoint: string;
    registration_endpoint?: string;
    scopes_supported: string[];
    response_types_supported: string[];
    response_modes_supported: string[];
    grant_types_supported: string[];
    code_challenge_methods_supported: string[];
    token_endpoint_auth_methods_supported: string[];
    revocation_endpoint_auth_methods_supported: string[];
    introspection_endpoint_auth_methods_supported: string[];
    authorization_response_iss_parameter_supported: boolean;
    client_id_metadata_document_supported: boolean;
    subject_types_supported: string[];
    id_token_signing_alg_values_supported: string[];
    claims_supported: string[];
    request_parameter_supported: boolean;
    request_uri_parameter_supported: boolean;
    protected_resources: string[];
  };
  DomainRecordView: {
    name: string;
    type: 'TXT';
    value: string;
  };
  DoneView: {
    success: boolean;
  };
  EmailLoginView: {
    userId: string;
    sessionId: string;
    token: string;
    expires: string;
    active_org: string | null;
  };
  ExchangedTokenView: {
    id: string;
    email: string | null;
    sessionId: string;
    token: string;
    expires: string;
  };
  ExplainedConditionView: {
    condition: {
      [key: string]: unknown;
    };
    holds: boolean;
  };
  ExplainedGrantView: {
    via: string;
    role: 'reader' | 'editor' | 'admin' | 'owner';
    rule?:
      | boolean
      | {
          [key: string]: unknown;
        };
    holds?: boolean;
    conditions?: Schemas['ExplainedConditionView'][];
    fields: string[] | null;
  };
  ExplainedIndexView: {
    properties: string[];
    kind?: 'search';
  };
  ExplainedQueryView: {
    index: Schemas['ExplainedIndexView'] | null;
    indexes?: Schemas['ExplainedIndexView'][];
    uses_index: boolean;
    estimated_rows: number;
    returned_rows: number;
    scanned_rows: number;
    duration_ms: number;
    plan: Schemas['PlanStepView'];
    advice: Schemas['ExplainedIndexView'] | null;
  };
  FeaturesView: {
    version: string;
    passkeys: boolean;
    mail: boolean;
    email_login: 'signup' | 'on' | 'off';
    bulk_delete: boolean;
    changes: boolean;
    ask: Schemas['AskFeatureView'];
    body_limit_bytes: number;
    response_limit_bytes: number;
    max_records_limit: number;
    changes_retention_hours: number;
    trash_days: number;
  };
  GroupListView: {
    results: Schemas['GroupView'][];
    total: number;
  };
  GroupMemberBody: {
    userId?: string;
    email?: string;
  };
  GroupMemberListView: {
    results: Schemas['GroupMemberView'][];
    total: number;
  };
  GroupMemberView: {
    userId: string;
    email: string | null;
    firstName: string | null;
    lastName: string | null;
  };
  GroupView: {
    slug: string;
    name: string;
    memberCount: number;
    createdAt: string;
  };
  HealthView: {
    status: string;
  };
  HeldRoleView: {
    slug: string | null;
    name: string | null;
    permissions: string[];
    scopes: string[];
  };
  HistoryActorView: {
    type: 'user' | 'agent' | 'key' | 'service-account' | 'workspace';
    id: string;
    via: 'rest' | 'mcp' | 'job' | 'cli';
  };
  IndexSetView: {
    indexes: Schemas['IndexView'][];
    uniques: Schemas['IndexView'][];
  };
  IndexView: {
    properties: string[];
    kind?: 'search';
  };
  InviteListView: {
    results: Schemas['InviteView'][];
    total: number;
  };
  InviteView: {
    id: string;
    email: string | null;
    userId?: string;
    roleSlug: string;
    groups: string[];
    maxUses: number;
    uses: number;
    expiresAt: string | null;
    invitedBy: string | null;
    createdAt: string;
  };
  JoinRuleBody: {
    domain: string;
    roleSlug: string;
    groups?: string[];
    effective?: boolean;
  };
  JoinRuleView: {
    domain: string;
    roleSlug: string;
    groups?: string[];
    effective: boolean;
  };
  JoinedOrgView: {
    slug: string;
    name: string;
    roleSlug: string;
    groups: string[];
  };
  JoinedOrganizationView: {
    slug: string;
    name: string;
    roleSlug: string | null;
    groups: string[];
  };
  JwksView: {
    keys: {
      [key: string]: unknown;
    }[];
  };
  KeyRuleBody: {
    action:
      | ('manage' | 'create' | 'read' | 'update' | 'delete' | 'execute')
      | ('manage' | 'create' | 'read' | 'update' | 'delete' | 'execute')[];
    subject: 'workspaces' | 'pages' | 'files' | 'apps' | 'events' | 'automations';
    conditions?: {
      [key: string]: unknown;
    };
  };
  KeyRuleView: {
    action: ('manage' | 'create' | 'read' | 'update' | 'delete' | 'execute')[];
    subject: 'workspaces' | 'pages' | 'files' | 'apps' | 'events' | 'automations';
    conditions: {
      [key: string]: unknown;
    };
  };
  LoginProviderView: {
    slug: string;
    name: string;
    type: string;
    icon?: string;
  };
  LoginProvidersView: {
    anonymous: boolean;
    passkeys: boolean;
    email?: boolean;
    providers: Schemas['LoginProviderView'][];
  };
  MeView: {
    id?: string;
    email?: string | null;
    firstName?: string | null;
    lastName?: string | null;
    status?: 'active' | 'disabled';
    principal?: Schemas['CallingPrincipalView'];
    orgSlugs: string[];
    sessionId: string | null;
    expires: string | null;
    org: Schemas['ActiveOrgView'] | null;
    permissions: string[];
    organizations: Schemas['JoinedOrganizationView'][];
  };
  MemberListView: {
    results: Schemas['MemberView'][];
    total: number;
  };
  MemberView: {
    userId: string;
    email: string | null;
    emailVerified: boolean;
    firstName: string | null;
    lastName: string | null;
    status: 'active' | 'disabled';
    roleSlug: string;
    via?: 'anonymous' | 'signUp';
    groups: string[];
    joinedAt: string;
  };
  MintedAccessTokenView: {
    _id: string;
    name: string;
    expiresAt: string;
    userId: string;
    token: string;
  };
  MintedOrgApiKeyView: {
    id: string;
    slug: string;
    name: string;
    prefix: string;
    permissions: string[];
    scopes: string[];
    expiresAt: string | null;
    disabled: boolean;
    ownerType: 'user' | 'agent' | null;
    ownerId: string | null;
    ipAllowList: string[];
    collectionId: string | null;
    createdBy: string | null;
    createdAt: string;
    lastUsedAt: string | null;
    apiKey: string;
  };
  MintedServiceAccountView: {
    id: string;
    slug: string;
    name: string;
    permissions: string[];
    scopes: string[];
    prefix: string;
    disabled: boolean;
    createdBy: string | null;
    createdAt: string;
    lastUsedAt: string | null;
    clientSecret: string;
  };
  MintedWorkspaceApiKeyView: {
    id: string;
    name: string;
    prefix: string;
    rules: Schemas['KeyRuleView'][];
    subjectId: string;
    subjectType: 'workspaces';
    createdAt: string;
    lastUsedAt: string | null;
    apiKey: string;
  };
  MyAccessView: {
    restricted: boolean;
    read_fields: string[] | null;
    write_fields: string[] | null;
  };
  NewMemberBody: {
    userId?: string;
    email?: string;
    roleSlug?: string;
    groups?: string[];
  };
  OrgApiKeyListView: {
    results: Schemas['OrgApiKeyView'][];
    total: number;
  };
  OrgApiKeyView: {
    id: string;
    slug: string;
    name: string;
    prefix: string;
    permissions: string[];
    scopes: string[];
    expiresAt: string | null;
    disabled: boolean;
    ownerType: 'user' | 'agent' | null;
    ownerId: string | null;
    ipAllowList: string[];
    collectionId: string | null;
    createdBy: string | null;
    createdAt: string;
    lastUsedAt: string | null;
  };
  OrgAuthBody: {
    anonymous?: Schemas['AnonymousBody'];
  };
  OrgDomainListView: {
    results: Schemas['OrgDomainView'][];
    total: number;
  };
  OrgDomainView: {
    domain: string;
    status: 'pending' | 'verified';
    record: Schemas['DomainRecordView'];
    createdAt: string;
    verifiedAt: string | null;
    checkedAt: string | null;
  };
  OrgListView: {
    results: Schemas['OrgView'][];
    total: number;
  };
  OrgView: {
    id: string;
    slug: string;
    name: string;
    settings: {
      [key: string]: unknown;
    };
    subscription: {
      [key: string]: unknown;
    };
    defaultRole: string;
    joinRules: Schemas['JoinRuleView'][];
    auth: Schemas['OrgAuthBody'];
    signUp?: Schemas['SignUpView'];
    createdAt: string;
    updatedAt: string;
  };
  OwnInvitationListView: {
    results: Schemas['OwnInvitationView'][];
    total: number;
  };
  OwnInvitationView: {
    id: string;
    orgSlug: string;
    orgName: string;
    roleSlug: string;
    groups: string[];
    expiresAt: string | null;
    createdAt: string;
  };
  PasskeyListView: {
    results: Schemas['PasskeyView'][];
    total: number;
  };
  PasskeyView: {
    id: string;
    name: string;
    created_at: string;
    last_used_at: string | null;
  };
  PlanStepView: {
    step: string;
    rows: number;
    ms: number;
    children: Schemas['PlanStepView'][];
  };
  ProtectedResourceView: {
    resource: string;
    authorization_servers: string[];
    scopes_supported: string[];
    bearer_methods_supported: string[];
    resource_documentation: string;
  };
  QuerySampleView: {
    filter: {
      [key: string]: unknown;
    } | null;
    sort: {
      [key: string]: unknown;
    } | null;
  };
  RecordExplanationView: {
    allowed: boolean;
    grants: Schemas['ExplainedGrantView'][];
  };
  RecordHistoryView: {
    items: Schemas['RecordVersionView'][];
    next_cursor: string | null;
  };
  RecordVersionView: {
    version: number;
    valid_from: string;
    valid_to: string | null;
    operation: 'inserted' | 'updated' | 'upserted' | 'written' | 'deleted' | 'undone' | 'restored';
    actor: Schemas['HistoryActorView'] | null;
    event_id: string | null;
    correlation_id: string | null;
    record: {
      [key: string]: unknown;
    } | null;
    changed: string[];
  };
  RecoveryLinkView: {
    url: string;
    expires_at: string;
    mailed?: true;
  };
  RemovedMemberView: {
    success: boolean;
    webhooks: number;
  };
  RevokedAccessView: {
    deleted: boolean;
  };
  RightView: {
    right: 'read' | 'write' | 'manage' | 'audit' | 'share' | 'keys' | 'webhooks' | 'rename' | 'delete';
    allowed: boolean;
    needs_role: 'reader' | 'editor' | 'admin' | 'owner';
    needs_permission: string;
    missing?: 'role' | 'permission';
  };
  RoleListView: {
    results: Schemas['RoleView'][];
    total: number;
  };
  RoleView: {
    slug: string;
    name: string;
    permissions: string[];
    scopes: string[];
    builtIn: boolean;
  };
  RootLinksView: {
    collections: string;
    mcp: string;
    health: string;
    docs?: string;
    openapi?: string;
  };
  RootView: {
    name: string;
    version: string;
    links: Schemas['RootLinksView'];
  };
  RuleBody: {
    action:
      | ('manage' | 'create' | 'read' | 'update' | 'delete' | 'execute')
      | ('manage' | 'create' | 'read' | 'update' | 'delete' | 'execute')[];
    subject:
      | ('workspaces' | 'pages' | 'files' | 'apps' | 'events' | 'automations' | 'all')
      | ('workspaces' | 'pages' | 'files' | 'apps' | 'events' | 'automations' | 'all')[];
    role?: string;
    conditions?: {
      [key: string]: unknown;
    };
    inverted?: boolean;
    fields?: string[];
    priority?: number;
    reason?: string;
  };
  SavedChartsView: {
    collection_id: string;
    charts: {
      [key: string]: unknown;
    }[];
    saved: boolean;
  };
  SavedViewListView: {
    items: Schemas['SavedViewView'][];
    total: number;
  };
  SavedViewView: {
    id: string;
    name: string;
    filter: {
      [key: string]: unknown;
    };
    sort: {
      [key: string]: unknown;
    };
    fields:
      | (
          | {
              [key: string]: unknown;
            }
          | string[]
        )
      | null;
    columns:
      | (
          | string
          | {
              [key: string]: unknown;
            }
        )[]
      | null;
    for: 'me' | 'all';
    created_at: string;
    updated_at: string;
  };
  SchemaChangeView: {
    state: 'running' | 'failed';
    done_rows: number;
    total_rows: number;
    started_at: string;
    error: {
      [key: string]: unknown;
    } | null;
  };
  SchemaView: {
    collection_id: string;
    schema: {
      [key: string]: Schemas['ColumnView'];
    };
    indexes: Schemas['IndexView'][];
    uniques: Schemas['IndexView'][];
    status?: 'building';
    dry_run?: boolean;
    changes?: Schemas['ColumnChangeView'][];
    affected_count?: number;
  };
  SecurityView: {
    authorizations: Schemas['AuthorizationsView'];
  };
  ServiceAccountListView: {
    results: Schemas['ServiceAccountView'][];
    total: number;
  };
  ServiceAccountTokenView: {
    accessToken: string;
    expiresAt: string;
    tokenType: 'Bearer';
    permissions: string[];
    scopes: string[];
  };
  ServiceAccountView: {
    id: string;
    slug: string;
    name: string;
    permissions: string[];
    scopes: string[];
    prefix: string;
    disabled: boolean;
    createdBy: string | null;
    createdAt: string;
    lastUsedAt: string | null;
  };
  SessionListView: {
    results: Schemas['SessionView'][];
    total: number;
  };
  SessionView: {
    id: string;
    current: boolean;
    clientId: string;
    ip: string | null;
    userAgent: string | null;
    createdAt: string;
    lastUsedAt: string;
    expiresAt: string;
  };
  SignUpBody: {
    email: boolean;
    roleSlug: string;
    groups?: string[];
    domains?: string[];
  };
  SignUpView: {
    email: boolean;
    roleSlug: string;
    groups?: string[];
    domains?: string[];
  };
  SignedInView: {
    userId: string;
    active_org: string | null;
  };
  SsoConfigBody: {
    issuer: string;
    client_id: string;
    client_secret?: string | null;
    authorization_endpoint?: string | null;
    token_endpoint?: string | null;
    jwks_uri?: string | null;
    scopes?: string[] | string;
    allowTokenExchange?: boolean;
  };
  SsoConfigView: {
    issuer: string;
    client_id: string;
    hasClientSecret: boolean;
    authorization_endpoint?: string;
    token_endpoint?: string;
    jwks_uri?: string;
    scopes: string[];
    allowTokenExchange: boolean;
  };
  SsoProviderListView: {
    results: Schemas['SsoProviderView'][];
    total: number;
  };
  SsoProviderView: {
    id: string;
    slug: string;
    name: string;
    type: 'oidc';
    icon?: string;
    config: Schemas['SsoConfigView'];
    attributesMapping: Schemas['AttributesMappingView'];
    domains: string[];
    defaultRole?: string;
    orgSlug: string;
    enabled: boolean;
    redirectUri: string;
    createdAt: string;
    updatedAt: string;
  };
  StartedEmailLoginView: {
    login_id: string;
    expires_at: string;
  };
  SuggestedSchemaView: {
    name: string;
    properties: {
      [key: string]: Schemas['ColumnView'];
    };
    uniques: Schemas['IndexView'][];
    model: string;
    columns?: {
      [key: string]: string | null;
    };
  };
  SuggestionView: {
    data: Schemas['SuggestedSchemaView'];
  };
  TargetView: {
    id: string;
    email: string | null;
  };
  TrashListView: {
    items: Schemas['TrashedCollectionView'][];
    total: number;
    page: number;
    limit: number;
  };
  TrashedCollectionView: {
    collection_id: string;
    name: string;
    description: string | null;
    owner_id: string | null;
    owner_type: 'user' | 'agent';
    owner_name: string | null;
    my_role: 'reader' | 'editor' | 'admin' | 'owner';
    my_rights: ('read' | 'write' | 'manage' | 'share' | 'keys' | 'webhooks' | 'delete')[];
    my_access: Schemas['MyAccessView'];
    agent_ids: string[];
    orgSlug: string;
    settings: Schemas['CollectionSettingsView'];
    schema: {
      [key: string]: Schemas['ColumnView'];
    };
    indexes: Schemas['IndexView'][];
    uniques: Schemas['IndexView'][];
    charts: {
      [key: string]: unknown;
    }[];
    row_count: number | null;
    history_bytes: number | null;
    status: 'ready' | 'building';
    change?: Schemas['SchemaChangeView'];
    created_at: string;
    updated_at: string;
    deleted_at: string;
    restorable_until: string;
  };
  VerdictView: {
    allowed: boolean;
    reason: string;
  };
  WebSessionTicketView: {
    url: string;
    ticket: string;
    expiresAt: string;
  };
  WebhookListView: {
    object: 'list';
    items: Schemas['WebhookView'][];
    total: number;
  };
  WebhookView: {
    id: string;
    object: 'collection.webhook';
    collection_id: string;
    url: string;
    events: ('inserted' | 'updated' | 'deleted' | 'expired' | 'left')[];
    filter: {
      [key: string]: unknown;
    } | null;
    status: 'active' | 'paused' | 'failing' | 'gone';
    failing_since: string | null;
    created_at: string;
    updated_at: string;
  };
  WorkspaceApiKeyListView: {
    results: Schemas['WorkspaceApiKeyView'][];
    total: number;
  };
  WorkspaceApiKeyView: {
    id: string;
    name: string;
    prefix: string;
    rules: Schemas['KeyRuleView'][];
    subjectId: string;
    subjectType: 'workspaces';
    createdAt: string;
    lastUsedAt: string | null;
  };
  WorkspaceRoleListView: {
    results: Schemas['WorkspaceRoleView'][];
    total: number;
  };
  WorkspaceRoleView: {
    name: string;
    description?: string;
    builtIn: boolean;
  };
  WorkspaceView: {
    id: string;
    name: string;
    slug: string;
    description: string | null;
    orgSlug: string;
    createdAt: string;
    updatedAt: string;
  };
}

export interface Operations {
  agents: {
    createOrgAgent: {
      input: {
        orgSlug: string;
        slug: string;
        name: string;
      };
      output: Schemas['AgentView'];
    };
    deleteOrgAgent: {
      input: {
        id: string;
        orgSlug: string;
      };
      output: Schemas['DoneView'];
    };
    listOrgAgents: {
      input: {
        limit?: number;
        page?: number;
        orgSlug: string;
      };
      output: Schemas['AgentListView'];
    };
    updateOrgAgent: {
      input: {
        id: string;
        orgSlug: string;
        name?: string;
      };
      output: Schemas['AgentView'];
    };
  };
  ai: {
    suggestSchema: {
      input: {
        description: string;
        samples?: {
          [key: string]: unknown;
        }[];
        samples_from?: 'records' | 'csv';
      };
      output: Schemas['SuggestionView'];
    };
  };
  analytics: {
    explainQuery: {
      input: {
        collection_id: string;
        operation?: 'query';
        filter?: {
          [key: string]: unknown;
        };
        sort?: {
          [key: string]: 1 | -1;
        };
        fields?:
          | {
              [key: string]: 0 | 1;
            }
          | string[];
        page?: number;
        with_total?: boolean;
        preview?: number;
        with_etags?: boolean;
        with_authors?: boolean;
        as_of?: string;
        limit?: number;
        cursor?: string;
        at?: (string | number | boolean) | null;
        aggregate?: Schemas['AggregatedRecords'];
      };
      output: Schemas['ExplainedQueryView'];
    };
    listAdvice: {
      input: {
        collection_id: string;
      };
      output: Schemas['AdviceView'];
    };
  };
  apiKeys: {
    createApiKey: {
      input: {
        collection_id: string;
        rules?: {
          read?:
            | boolean
            | {
                [key: string]: unknown;
              };
          create?:
            | boolean
            | {
                [key: string]: unknown;
              };
          update?:
            | boolean
            | {
                [key: string]: unknown;
              };
          becomes?:
            | boolean
            | {
                [key: string]: unknown;
              };
          delete?:
            | boolean
            | {
                [key: string]: unknown;
              };
        } | null;
        fields?: {
          read?: {
            [key: string]: 0 | 1;
          };
          write?: {
            [key: string]: 0 | 1;
          };
        } | null;
        limits?: {
          reads_per_minute?: number;
          writes_per_minute?: number;
        } | null;
        name: string;
        slug: string;
        permissions?: (
          | 'collections:read'
          | 'collections:write'
          | 'collections:manage'
          | 'collections:share'
          | 'collections:keys'
          | 'collections:create'
          | 'collections:delete'
          | 'collections:*'
        )[];
        expires_at?: number;
      };
      output: Schemas['CreatedApiKeyView'];
      once: true;
    };
    deleteApiKey: {
      input: {
        key_id: string;
        collection_id: string;
      };
      output: Schemas['DeletedApiKeyView'];
    };
    getApiKey: {
      input: {
        key_id: string;
        collection_id: string;
      };
      output: Schemas['ApiKeyView'];
    };
    listApiKeys: {
      input: {
        limit?: number;
        page?: number;
        collection_id: string;
      };
      output: Schemas['ApiKeyListView'];
    };
    rotateApiKey: {
      input: {
        key_id: string;
        collection_id: string;
        grace_seconds?: number;
      };
      output: Schemas['CreatedApiKeyView'];
      once: true;
    };
    updateApiKey: {
      input: {
        key_id: string;
        collection_id: string;
        rules?: {
          read?:
            | boolean
            | {
                [key: string]: unknown;
              };
          create?:
            | boolean
            | {
                [key: string]: unknown;
              };
          update?:
            | boolean
            | {
                [key: string]: unknown;
              };
          becomes?:
            | boolean
            | {
                [key: string]: unknown;
              };
          delete?:
            | boolean
            | {
                [key: string]: unknown;
              };
        } | null;
        fields?: {
          read?: {
            [key: string]: 0 | 1;
          };
          write?: {
            [key: string]: 0 | 1;
          };
        } | null;
        limits?: {
          reads_per_minute?: number;
          writes_per_minute?: number;
        } | null;
        name?: string;
        permissions?: (
          | 'collections:read'
          | 'collections:write'
          | 'collections:manage'
          | 'collections:share'
          | 'collections:keys'
          | 'collections:create'
          | 'collections:delete'
          | 'collections:*'
        )[];
        expires_at?: number;
      };
      output: Schemas['ApiKeyView'];
      once: true;
    };
  };
  authentication: {
    deletePasskey: {
      input: {
        id: string;
      };
      output: null;
    };
    enterAnonymously: {
      input: {
        expiresAfter?: number;
        orgSlug?: string;
      };
      output: Schemas['SignedInView'];
    };
    exchangeToken: {
      input: {
        provider: string;
        subject_token: string;
        expiresAfter?: number;
        subject_token_type?: 'urn:ietf:params:oauth:token-type:id_token';
        grant_type?: 'urn:ietf:params:oauth:grant-type:token-exchange';
      };
      output: Schemas['ExchangedTokenView'];
    };
    finishEmailLogin: {
      input: {
        login_id: string;
        code: string;
      };
      output: Schemas['EmailLoginView'];
    };
    finishEmailLoginOfPage: {
      input: {
        login_id?: string;
        code?: string;
        link?: string;
      };
      output: Schemas['SignedInView'];
    };
    finishInvitedRegistration: {
      input: {
        id?: string;
        rawId?: string;
        type?: 'public-key';
        authenticatorAttachment?: string | null;
        clientExtensionResults?: {
          [key: string]: unknown;
        };
        response?: {
          [key: string]: unknown;
        };
        name?: string;
        code?: string;
      };
      output: Schemas['SignedInView'];
    };
    finishPasskeyLogin: {
      input: {
        id: string;
        rawId: string;
        type: 'public-key';
        authenticatorAttachment?: string | null;
        clientExtensionResults?: {
          [key: string]: unknown;
        };
        response: {
          [key: string]: unknown;
        };
      };
      output: Schemas['SignedInView'];
    };
    finishPasskeyRegistration: {
      input: {
        id: string;
        rawId: string;
        type: 'public-key';
        authenticatorAttachment?: string | null;
        clientExtensionResults?: {
          [key: string]: unknown;
        };
        response: {
          [key: string]: unknown;
        };
        name?: string;
      };
      output: Schemas['PasskeyView'];
    };
    getFeatures: {
      output: Schemas['FeaturesView'];
    };
    getMe: {
      output: Schemas['MeView'];
    };
    listAccessTokens: {
      input: {
        limit?: number;
        page?: number;
      };
      output: Schemas['AccessTokenListView'];
    };
    listApplications: {
      input: {
        limit?: number;
        page?: number;
      };
      output: Schemas['ApplicationListView'];
    };
    listLoginProviders: {
      input: {
        orgSlug?: string;
      };
      output: Schemas['LoginProvidersView'];
    };
    listPasskeys: {
      input: {
        limit?: number;
        page?: number;
      };
      output: Schemas['PasskeyListView'];
    };
    listSessions: {
      input: {
        limit?: number;
        page?: number;
      };
      output: Schemas['SessionListView'];
    };
    listSigningKeys: {
      output: Schemas['JwksView'];
    };
    logInAnonymously: {
      input: {
        expiresAfter?: number;
        orgSlug?: string;
      };
      output: Schemas['AnonymousLoginView'];
    };
    logout: {
      output: null;
    };
    mintAccessToken: {
      input: {
        name: string;
        expiresAt: string;
      };
      output: Schemas['MintedAccessTokenView'];
    };
    mintWebSessionTicket: {
      input: {
        redirect: string;
        expiresIn?: number;
      };
      output: Schemas['WebSessionTicketView'];
    };
    renamePasskey: {
      input: {
        id: string;
        name: string;
      };
      output: Schemas['PasskeyView'];
    };
    revokeAccessToken: {
      input: {
        id: string;
      };
      output: null;
    };
    revokeOtherSessions: {
      output: null;
    };
    revokeSession: {
      input: {
        id: string;
      };
      output: null;
    };
    startEmailLogin: {
      input: {
        email: string;
        orgSlug?: string;
        redirect?: string;
      };
      output: Schemas['StartedEmailLoginView'];
    };
    startInvitedRegistration: {
      input: {
        code: string;
        name: string;
      };
      output: {
        [key: string]: unknown;
      };
    };
    startPasskeyLogin: {
      output: {
        [key: string]: unknown;
      };
    };
    startPasskeyRegistration: {
      output: {
        [key: string]: unknown;
      };
    };
    switchOrg: {
      input: {
        orgSlug: string;
      };
      output: Schemas['ActiveOrgView'];
    };
  };
  authorizationServer: {
    authorizeDevice: {
      input: {
        scope?: string;
        resource?: string;
        client_id: string;
        client_secret?: string;
      };
      output: {
        device_code: string;
        user_code: string;
        verification_uri: string;
        verification_uri_complete?: string;
        expires_in: number;
      };
    };
    getDiscovery: {
      output: Schemas['DiscoveryView'];
    };
    getProtectedResource: {
      output: Schemas['ProtectedResourceView'];
    };
    introspectToken: {
      input: {
        token: string;
        token_type_hint?: string;
        client_id?: string;
        client_secret?: string;
      };
      output: {
        active: boolean;
        sub?: string;
        client_id?: string;
        scope?: string;
        exp?: number;
      };
    };
    issueTokens: {
      input: {
        grant_type: 'authorization_code' | 'refresh_token' | 'urn:ietf:params:oauth:grant-type:device_code';
        code?: string;
        redirect_uri?: string;
        code_verifier?: string;
        refresh_token?: string;
        device_code?: string;
        scope?: string;
        resource?: string;
        client_id?: string;
        client_secret?: string;
      };
      output: {
        access_token: string;
        token_type: string;
        expires_in: number;
        refresh_token?: string;
        id_token?: string;
        scope?: string;
      };
    };
    registerClient: {
      input: {
        redirect_uris: string[];
        client_name?: string;
        token_endpoint_auth_method?: string;
        grant_types?: string[];
        scope?: string;
      };
      output: {
        client_id: string;
        redirect_uris?: string[];
        client_name?: string;
        token_endpoint_auth_method?: string;
        grant_types?: string[];
        scope?: string;
      };
    };
    revokeToken: {
      input: {
        token: string;
        token_type_hint?: string;
        client_id?: string;
        client_secret?: string;
      };
      output: null;
    };
  };
  collections: {
    createCollection: {
      input: {
        name: string;
        description?: string | null;
        settings?: Schemas['CollectionSettingsBody'];
        properties?: {
          [key: string]: {
            type: 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'datetime' | 'json' | 'array';
            nullable?: boolean;
          };
        };
        indexes?: {
          properties: string[];
        }[];
        allow_unknown?: boolean;
        uniques?: {
          properties: string[];
        }[];
        agent_ids?: string[];
        model?: string;
      };
      output: Schemas['CreatedCollectionView'];
      once: true;
    };
    createView: {
      input: {
        collection_id: string;
        name: string;
        filter?: {
          [key: string]: unknown;
        };
        sort?: {
          [key: string]: unknown;
        };
        fields?:
          | (
              | {
                  [key: string]: unknown;
                }
              | string[]
            )
          | null;
        columns?:
          | (
              | string
              | {
                  [key: string]: unknown;
                }
            )[]
          | null;
        for?: 'me' | 'all';
      };
      output: Schemas['SavedViewView'];
      once: true;
    };
    deleteCollection: {
      input: {
        permanent?: boolean;
        collection_id: string;
      };
      output: Schemas['DeletedCollectionView'];
      guarded: true;
    };
    deleteView: {
      input: {
        view_id: string;
        collection_id: string;
      };
      output: Schemas['DeletedView'];
    };
    getCharts: {
      input: {
        collection_id: string;
      };
      output: Schemas['ChartsView'];
    };
    getCollection: {
      input: {
        collection_id: string;
      };
      output: Schemas['CollectionView'];
    };
    listAuditEvents: {
      input: {
        limit?: number;
        cursor?: string;
        action?: string;
        since?: string;
        until?: string;
        record_id?: string;
        actor_id?: string;
        correlation_id?: string;
        collection_id: string;
      };
      output: Schemas['AuditPageView'];
    };
    listCollections: {
      input: {
        limit?: number;
        page?: number;
        with_counts?: boolean;
        scope?: 'owned' | 'shared' | 'all';
        q?: string;
        sort?: 'name' | 'created_at' | 'updated_at' | '-name' | '-created_at' | '-updated_at';
      };
      output: Schemas['CollectionListView'];
    };
    listTrash: {
      input: {
        limit?: number;
        page?: number;
      };
      output: Schemas['TrashListView'];
    };
    listViews: {
      input: {
        collection_id: string;
      };
      output: Schemas['SavedViewListView'];
    };
    replaceView: {
      input: {
        view_id: string;
        collection_id: string;
        name: string;
        filter?: {
          [key: string]: unknown;
        };
        sort?: {
          [key: string]: unknown;
        };
        fields?:
          | (
              | {
                  [key: string]: unknown;
                }
              | string[]
            )
          | null;
        columns?:
          | (
              | string
              | {
                  [key: string]: unknown;
                }
            )[]
          | null;
        for?: 'me' | 'all';
      };
      output: Schemas['SavedViewView'];
    };
    restoreCollection: {
      input: {
        collection_id: string;
        name?: string;
      };
      output: Schemas['CollectionView'];
    };
    saveCharts: {
      input: {
        collection_id: string;
        charts: {
          [key: string]: unknown;
        }[];
      };
      output: Schemas['SavedChartsView'];
      guarded: true;
    };
    updateCollection: {
      input: {
        collection_id: string;
        name?: string;
        description?: string | null;
        settings?: Schemas['CollectionSettingsBody'];
        agent_ids?: string[];
      };
      output: Schemas['CollectionView'];
      once: true;
      guarded: true;
    };
  };
  groups: {
    addOrgGroupMembers: {
      input: {
        slug: string;
        orgSlug: string;
        users: Schemas['GroupMemberBody'][];
      };
      output: Schemas['GroupMemberListView'];
    };
    createOrgGroup: {
      input: {
        orgSlug: string;
        slug: string;
        name: string;
      };
      output: Schemas['GroupView'];
    };
    deleteOrgGroup: {
      input: {
        slug: string;
        orgSlug: string;
      };
      output: Schemas['DoneView'];
    };
    emptyOrgGroup: {
      input: {
        slug: string;
        orgSlug: string;
      };
      output: Schemas['DoneView'];
    };
    getOrgGroup: {
      input: {
        slug: string;
        orgSlug: string;
      };
      output: Schemas['GroupView'];
    };
    listOrgGroupMembers: {
      input: {
        slug: string;
        limit?: number;
        page?: number;
        orgSlug: string;
      };
      output: Schemas['GroupMemberListView'];
    };
    listOrgGroups: {
      input: {
        limit?: number;
        page?: number;
        orgSlug: string;
      };
      output: Schemas['GroupListView'];
    };
    removeOrgGroupMember: {
      input: {
        slug: string;
        userId: string;
        orgSlug: string;
      };
      output: Schemas['DoneView'];
    };
    updateOrgGroup: {
      input: {
        slug: string;
        orgSlug: string;
        name?: string;
      };
      output: Schemas['GroupView'];
    };
  };
  health: {
    getRoot: {
      output: Schemas['RootView'];
    };
    live: {
      output: Schemas['HealthView'];
    };
    ready: {
      output: Schemas['HealthView'];
    };
  };
  history: {
    getRecordHistory: {
      input: {
        record_id: string;
        limit?: number;
        cursor?: string;
        view_as?: string;
        collection_id: string;
      };
      output: Schemas['RecordHistoryView'];
    };
  };
  invitations: {
    createOrgInvite: {
      input: {
        orgSlug: string;
        email?: string;
        roleSlug: string;
        maxUses?: number;
        expiresAt?: string | null;
      };
      output: Schemas['CreatedInviteView'];
    };
    joinOrg: {
      input: {
        code: string;
      };
      output: Schemas['JoinedOrgView'];
    };
    listOrgInvites: {
      input: {
        limit?: number;
        page?: number;
        orgSlug: string;
      };
      output: Schemas['InviteListView'];
    };
    revokeOrgInvite: {
      input: {
        code: string;
        orgSlug: string;
      };
      output: Schemas['DoneView'];
    };
  };
  members: {
    addOrgMembers: {
      input: {
        orgSlug: string;
        users: Schemas['NewMemberBody'][];
      };
      output: Schemas['AddedMembersView'];
    };
    createRecoveryLink: {
      input: {
        userId: string;
        orgSlug: string;
      };
      output: Schemas['RecoveryLinkView'];
    };
    listOrgMembers: {
      input: {
        limit?: number;
        page?: number;
        orgSlug: string;
      };
      output: Schemas['MemberListView'];
    };
    removeOrgMember: {
      input: {
        userId: string;
        orgSlug: string;
      };
      output: Schemas['RemovedMemberView'];
    };
    updateOrgMember: {
      input: {
        userId: string;
        orgSlug: string;
        roleSlug?: string;
        groups?: string[];
      };
      output: Schemas['MemberView'];
    };
  };
  organizationApiKeys: {
    getOrgApiKey: {
      input: {
        keyId: string;
        orgSlug: string;
      };
      output: Schemas['OrgApiKeyView'];
    };
    listOrgApiKeys: {
      input: {
        limit?: number;
        page?: number;
        orgSlug: string;
      };
      output: Schemas['OrgApiKeyListView'];
    };
    mintOrgApiKey: {
      input: {
        orgSlug: string;
        slug: string;
        name: string;
        permissions: string[];
        scopes?: string[];
        expiresAt?: string | null;
        ownerType?: 'user' | 'agent' | null;
        ownerId?: string | null;
        ipAllowList?: string[];
      };
      output: Schemas['MintedOrgApiKeyView'];
    };
    revokeOrgApiKey: {
      input: {
        keyId: string;
        orgSlug: string;
      };
      output: Schemas['DoneView'];
    };
    rotateOrgApiKey: {
      input: {
        keyId: string;
        orgSlug: string;
        expiresAt?: string | null;
        graceSeconds?: number;
      };
      output: Schemas['MintedOrgApiKeyView'];
    };
    updateOrgApiKey: {
      input: {
        keyId: string;
        orgSlug: string;
        name?: string;
        permissions?: string[];
        scopes?: string[];
        expiresAt?: string | null;
        disabled?: boolean;
        ipAllowList?: string[];
      };
      output: Schemas['OrgApiKeyView'];
    };
    validateOrgApiKey: {
      input: {
        orgSlug: string;
        apiKey?: string;
      };
      output: Schemas['OrgApiKeyView'];
    };
  };
  organizationAudit: {
    listOrgAuditCheckpoints: {
      input: {
        limit?: number;
        page?: number;
        orgSlug: string;
      };
      output: Schemas['AuditCheckpointListView'];
    };
    listOrgAuditEvents: {
      input: {
        limit?: number;
        cursor?: string;
        action?: string;
        since?: string;
        until?: string;
        category?: string;
        actor?: string;
        safe?: boolean;
        orgSlug: string;
      };
      output: Schemas['AuditPageView'];
    };
  };
  organizations: {
    acceptInvitation: {
      input: {
        id: string;
      };
      output: Schemas['JoinedOrgView'];
    };
    createOrg: {
      input: {
        slug: string;
        name: string;
        settings?: {
          [key: string]: unknown;
        };
        subscription?: {
          [key: string]: unknown;
        };
      };
      output: Schemas['OrgView'];
    };
    declineInvitation: {
      input: {
        id: string;
      };
      output: Schemas['DoneView'];
    };
    deleteOrg: {
      input: {
        orgSlug: string;
      };
      output: Schemas['DoneView'];
    };
    getOrg: {
      input: {
        orgSlug: string;
      };
      output: Schemas['OrgView'];
    };
    listOrgs: {
      input: {
        limit?: number;
        page?: number;
      };
      output: Schemas['OrgListView'];
    };
    listOwnInvitations: {
      input: {
        limit?: number;
        page?: number;
      };
      output: Schemas['OwnInvitationListView'];
    };
    updateOrg: {
      input: {
        orgSlug: string;
        name?: string;
        settings?: {
          [key: string]: unknown;
        };
        subscription?: {
          [key: string]: unknown;
        };
        defaultRole?: string;
        joinRules?: Schemas['JoinRuleBody'][];
        auth?: Schemas['OrgAuthBody'];
        signUp?: Schemas['SignUpBody'];
      };
      output: Schemas['OrgView'];
    };
  };
  roles: {
    createOrgRole: {
      input: {
        orgSlug: string;
        slug: string;
        name: string;
        permissions: string[];
        scopes?: string[];
      };
      output: Schemas['RoleView'];
    };
    deleteOrgRole: {
      input: {
        slug: string;
        orgSlug: string;
      };
      output: Schemas['DoneView'];
    };
    listOrgRoles: {
      input: {
        limit?: number;
        page?: number;
        orgSlug: string;
      };
      output: Schemas['RoleListView'];
    };
    updateOrgRole: {
      input: {
        slug: string;
        orgSlug: string;
        name?: string;
        permissions?: string[];
        scopes?: string[];
      };
      output: Schemas['RoleView'];
    };
  };
  schema: {
    abandonSchemaChange: {
      input: {
        collection_id: string;
      };
      output: Schemas['AbandonedChangeView'];
    };
    applyIndexes: {
      input: {
        collection_id: string;
        indexes?: {
          properties: string[];
          kind?: 'ordered' | 'search';
        }[];
        uniques?: {
          properties: string[];
        }[];
        allow_unknown?: boolean;
        dry_run?: boolean;
      };
      output: Schemas['AppliedIndexesView'];
      once: true;
    };
    updateSchema: {
      input: {
        collection_id: string;
        properties: {
          [key: string]: {
            type?: 'text' | 'integer' | 'double' | 'boolean' | 'date' | 'datetime' | 'json' | 'array';
            nullable?: boolean;
          };
        };
        dry_run?: boolean;
      };
      output: Schemas['SchemaView'];
      once: true;
    };
  };
  serviceAccounts: {
    createServiceAccount: {
      input: {
        orgSlug: string;
        slug: string;
        name: string;
        permissions: string[];
        scopes?: string[];
      };
      output: Schemas['MintedServiceAccountView'];
    };
    deleteServiceAccount: {
      input: {
        slug: string;
        orgSlug: string;
      };
      output: Schemas['DoneView'];
    };
    listServiceAccounts: {
      input: {
        limit?: number;
        page?: number;
        orgSlug: string;
      };
      output: Schemas['ServiceAccountListView'];
    };
    mintServiceAccountToken: {
      input: {
        orgSlug: string;
        slug: string;
        clientSecret: string;
        expiresIn?: number;
      };
      output: Schemas['ServiceAccountTokenView'];
    };
    rotateServiceAccount: {
      input: {
        slug: string;
        orgSlug: string;
      };
      output: Schemas['MintedServiceAccountView'];
    };
    updateServiceAccount: {
      input: {
        slug: string;
        orgSlug: string;
        name?: string;
        permissions?: string[];
        scopes?: string[];
        disabled?: boolean;
      };
      output: Schemas['ServiceAccountView'];
    };
  };
  sharing: {
    explainAccess: {
      input: {
        principal_type?: 'user' | 'group' | 'org' | 'agent' | 'anonymous' | 'signup' | 'key';
        principal_id?: string;
        action?: 'read' | 'update' | 'delete';
        record_id?: string;
        collection_id: string;
      };
      output: Schemas['AccessExplanationView'] | Schemas['RecordExplanationView'];
    };
    explainInsert: {
      input: {
        collection_id: string;
        principal_type?: 'user' | 'agent' | 'key' | 'anonymous';
        principal_id?: string;
        action?: 'create';
        record: {
          [key: string]: unknown;
        };
      };
      output: Schemas['RecordExplanationView'];
    };
    getAccessBinding: {
      input: {
        principal_type: 'user' | 'group' | 'org' | 'agent' | 'anonymous' | 'signup';
        principal_id: string;
        collection_id: string;
      };
      output: Schemas['AccessBindingView'];
    };
    grantAccess: {
      input: {
        collection_id: string;
        rules?: {
          read?:
            | boolean
            | {
                [key: string]: unknown;
              };
          create?:
            | boolean
            | {
                [key: string]: unknown;
              };
          update?:
            | boolean
            | {
                [key: string]: unknown;
              };
          becomes?:
            | boolean
            | {
                [key: string]: unknown;
              };
          delete?:
            | boolean
            | {
                [key: string]: unknown;
              };
        } | null;
        fields?: {
          read?: {
            [key: string]: 0 | 1;
          };
          write?: {
            [key: string]: 0 | 1;
          };
        } | null;
        limits?: {
          reads_per_minute?: number;
          writes_per_minute?: number;
        } | null;
        principal_type: 'user' | 'group' | 'org' | 'agent' | 'anonymous' | 'signup';
        principal_id: string;
        role: 'reader' | 'editor' | 'admin';
      };
      output: Schemas['AccessBindingView'];
      once: true;
    };
    listAccess: {
      input: {
        limit?: number;
        page?: number;
        collection_id: string;
      };
      output: Schemas['AccessListView'];
    };
    revokeAccess: {
      input: {
        principal_type: 'user' | 'group' | 'org' | 'agent' | 'anonymous' | 'signup';
        principal_id: string;
        collection_id: string;
      };
      output: Schemas['RevokedAccessView'];
    };
    updateAccessBinding: {
      input: {
        principal_type: 'user' | 'group' | 'org' | 'agent' | 'anonymous' | 'signup';
        principal_id: string;
        collection_id: string;
        rules?: {
          read?:
            | boolean
            | {
                [key: string]: unknown;
              };
          create?:
            | boolean
            | {
                [key: string]: unknown;
              };
          update?:
            | boolean
            | {
                [key: string]: unknown;
              };
          becomes?:
            | boolean
            | {
                [key: string]: unknown;
              };
          delete?:
            | boolean
            | {
                [key: string]: unknown;
              };
        } | null;
        fields?: {
          read?: {
            [key: string]: 0 | 1;
          };
          write?: {
            [key: string]: 0 | 1;
          };
        } | null;
        limits?: {
          reads_per_minute?: number;
          writes_per_minute?: number;
        } | null;
        role?: 'reader' | 'editor' | 'admin';
      };
      output: Schemas['AccessBindingView'];
      once: true;
    };
  };
  signInProviders: {
    addOrgDomain: {
      input: {
        orgSlug: string;
        domain: string;
      };
      output: Schemas['OrgDomainView'];
    };
    createSsoProvider: {
      input: {
        orgSlug: string;
        name: string;
        type?: 'oidc';
        icon?: string | null;
        config: Schemas['SsoConfigBody'];
        attributesMapping?: Schemas['AttributesMappingBody'];
        domains?: string[];
        defaultRole?: string | null;
        ownRedirectUri?: boolean;
        enabled?: boolean;
        slug: string;
      };
      output: Schemas['SsoProviderView'];
    };
    deleteSsoProvider: {
      input: {
        slug: string;
        orgSlug: string;
      };
      output: Schemas['DoneView'];
    };
    getSsoProvider: {
      input: {
        slug: string;
        orgSlug: string;
      };
      output: Schemas['SsoProviderView'];
    };
    listOrgDomains: {
      input: {
        limit?: number;
        page?: number;
        orgSlug: string;
      };
      output: Schemas['OrgDomainListView'];
    };
    listSsoProviders: {
      input: {
        limit?: number;
        page?: number;
        orgSlug: string;
      };
      output: Schemas['SsoProviderListView'];
    };
    removeOrgDomain: {
      input: {
        domain: string;
        orgSlug: string;
      };
      output: Schemas['DoneView'];
    };
    replaceSsoProvider: {
      input: {
        slug: string;
        orgSlug: string;
        name: string;
        type?: 'oidc';
        icon?: string | null;
        config: Schemas['SsoConfigBody'];
        attributesMapping?: Schemas['AttributesMappingBody'];
        domains?: string[];
        defaultRole?: string | null;
        ownRedirectUri?: boolean;
        enabled?: boolean;
      };
      output: Schemas['SsoProviderView'];
    };
    verifyOrgDomain: {
      input: {
        domain: string;
        orgSlug: string;
      };
      output: Schemas['OrgDomainView'];
    };
  };
  webhooks: {
    createWebhook: {
      input: {
        collection_id: string;
        url: string;
        events?: string[];
        filter?: {
          [key: string]: unknown;
        } | null;
      };
      output: Schemas['CreatedWebhookView'];
      once: true;
    };
    deleteWebhook: {
      input: {
        webhook_id: string;
        collection_id: string;
      };
      output: Schemas['DeletedWebhookView'];
    };
    getWebhook: {
      input: {
        webhook_id: string;
        collection_id: string;
      };
      output: Schemas['WebhookView'];
    };
    listDeliveries: {
      input: {
        webhook_id: string;
        status?: 'pending' | 'delivered' | 'dead';
        limit?: number;
        cursor?: string;
        collection_id: string;
      };
      output: Schemas['DeliveryPageView'];
    };
    listWebhooks: {
      input: {
        collection_id: string;
      };
      output: Schemas['WebhookListView'];
    };
    redeliverDelivery: {
      input: {
        webhook_id: string;
        delivery_id: string;
        collection_id: string;
      };
      output: Schemas['DeliveryView'];
      once: true;
    };
    rotateWebhookSecret: {
      input: {
        webhook_id: string;
        collection_id: string;
        grace_seconds?: number;
      };
      output: Schemas['CreatedWebhookView'];
      once: true;
    };
    testWebhook: {
      input: {
        webhook_id: string;
        collection_id: string;
      };
      output: Schemas['DeliveryView'];
      once: true;
    };
    updateWebhook: {
      input: {
        webhook_id: string;
        collection_id: string;
        url?: string;
        events?: string[];
        filter?: {
          [key: string]: unknown;
        } | null;
        active?: boolean;
      };
      output: Schemas['WebhookView'];
      once: true;
    };
  };
  workspaces: {
    callWorkspace: {
      input: {
        workspaceId: string;
        target: string;
        method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
        path: string;
        body?: {
          [key: string]: unknown;
        };
      };
      output: {
        [key: string]: unknown;
      };
    };
    checkWorkspacePermission: {
      input: {
        workspaceId: string;
        action: 'manage' | 'create' | 'read' | 'update' | 'delete' | 'execute';
        subject: 'workspaces' | 'pages' | 'files' | 'apps' | 'events' | 'automations';
        resource?: {
          [key: string]: unknown;
        };
        userId?: string;
      };
      output: Schemas['VerdictView'];
    };
    createWorkspace: {
      input: {
        name: string;
        slug?: string;
        description?: string | null;
        orgSlug?: string;
      };
      output: Schemas['WorkspaceView'];
    };
    deleteWorkspace: {
      input: {
        workspaceId: string;
      };
      output: Schemas['DoneView'];
    };
    getWorkspace: {
      input: {
        workspaceId: string;
      };
      output: Schemas['WorkspaceView'];
    };
    getWorkspaceContext: {
      input: {
        workspaceId: string;
      };
      output: Schemas['ContextView'];
    };
    getWorkspaceSecurity: {
      input: {
        workspaceId: string;
      };
      output: Schemas['SecurityView'];
    };
    grantWorkspacePermission: {
      input: {
        workspaceId: string;
        target: Schemas['CollaboratorTargetBody'];
        role: string;
      };
      output: Schemas['CollaboratorView'];
    };
    listWorkspaceApiKeys: {
      input: {
        limit?: number;
        page?: number;
        workspaceId: string;
      };
      output: Schemas['WorkspaceApiKeyListView'];
    };
    listWorkspacePermissions: {
      input: {
        limit?: number;
        page?: number;
        workspaceId: string;
      };
      output: Schemas['CollaboratorListView'];
    };
    listWorkspaceRoles: {
      input: {
        limit?: number;
        page?: number;
        workspaceId: string;
      };
      output: Schemas['WorkspaceRoleListView'];
    };
    listWorkspaces: {
      input: {
        limit?: number;
        page?: number;
      };
      output: Schemas['WorkspaceView'][];
    };
    mintWorkspaceApiKey: {
      input: {
        workspaceId: string;
        name: string;
        rules: Schemas['KeyRuleBody'][];
      };
      output: Schemas['MintedWorkspaceApiKeyView'];
    };
    replaceWorkspaceSecurity: {
      input: {
        workspaceId: string;
        authorizations: Schemas['AuthorizationsBody'];
      };
      output: Schemas['SecurityView'];
    };
    revokeWorkspaceApiKey: {
      input: {
        id: string;
        workspaceId: string;
      };
      output: Schemas['DoneView'];
    };
    revokeWorkspacePermission: {
      input: {
        userId: string;
        workspaceId: string;
      };
      output: Schemas['DoneView'];
    };
    updateWorkspace: {
      input: {
        workspaceId: string;
        name?: string;
        slug?: string;
        description?: string | null;
      };
      output: Schemas['WorkspaceView'];
    };
    updateWorkspaceApiKey: {
      input: {
        id: string;
        workspaceId: string;
        name?: string;
        rules?: Schemas['KeyRuleBody'][];
      };
      output: Schemas['WorkspaceApiKeyView'];
    };
  };
}
