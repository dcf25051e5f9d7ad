import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { VERSION } from '../../../base/kernel/version.js';
import { emailLoginFor, mailRoute } from '../../../platform/config/mail.js';
import { passkeysAreOn } from '../../../platform/config/passkeys.js';
import { Settings } from '../../../platform/config/settings.js';
import { Requires } from '../../../platform/http/requires.decorator.js';

class AskFeatureView {
  @ApiProperty({
    example: 'builtin',
    description: 'What plans answers and schemas: `builtin` rules, or the name of a language model.',
  })
  model: string;
}

class FeaturesView {
  @ApiProperty({ example: VERSION, description: 'Version of the service.' }) version: string;
  @ApiProperty({ description: 'true: people can sign in with passkeys.' }) passkeys: boolean;
  @ApiProperty({ description: 'true: the service sends mails.' }) mail: boolean;
  @ApiProperty({
    enum: ['signup', 'on', 'off'],
    description:
      'Who can sign in by e-mail: `signup`: people of organizations that admit them, `on`: everybody who has proven an address, `off`: nobody.',
  })
  email_login: string;
  @ApiProperty({ description: 'true: records can be deleted by filter.' }) bulk_delete: boolean;
  @ApiProperty({ description: 'true: changes of records can be followed.' }) changes: boolean;
  @ApiProperty({ type: AskFeatureView, description: 'Questions in plain language.' }) ask: AskFeatureView;
  @ApiProperty({ type: 'integer', description: 'Bytes of a body with records, filters or updates.' })
  body_limit_bytes: number;
  @ApiProperty({ type: 'integer', description: 'Bytes of a response that is not a stream.' })
  response_limit_bytes: number;
  @ApiProperty({ type: 'integer', description: 'Highest `max_records` of a collection.' })
  max_records_limit: number;
  @ApiProperty({ type: 'integer', description: 'Hours for which changes are kept.' })
  changes_retention_hours: number;
  @ApiProperty({
    type: 'integer',
    description: 'Days for which a deleted collection can be restored; 0: not at all.',
  })
  trash_days: number;
}

/** What this installation offers. Everything that clients ask for before they show a function is read here. */
function featuresOf(settings: Settings): FeaturesView {
  return {
    version: VERSION,
    passkeys: passkeysAreOn(settings),
    mail: mailRoute(settings) !== 'nowhere',
    email_login: emailLoginFor(settings),
    bulk_delete: settings.ALLOW_BULK_DELETE,
    changes: true,
    ask: {
      model: settings.AI_ADAPTER === 'builtin' ? 'builtin' : (settings.AI_MODEL ?? settings.AI_ADAPTER),
    },
    body_limit_bytes: settings.BODY_LIMIT_BYTES,
    response_limit_bytes: settings.RESPONSE_LIMIT_BYTES,
    max_records_limit: settings.COLLECTION_MAX_RECORDS_LIMIT,
    changes_retention_hours: settings.CHANGES_RETENTION_HOURS,
    trash_days: settings.TRASH_DAYS,
  };
}

@ApiTags('Authentication')
@Controller('v2/features')
export class FeaturesController {
  constructor(private readonly settings: Settings) {}

  @Get()
  @Requires({ caller: 'any' })
  @ApiOperation({ summary: 'Read what this installation offers, and its limits' })
  @ApiOkResponse({ type: FeaturesView })
  getFeatures(): FeaturesView {
    return featuresOf(this.settings);
  }
}
