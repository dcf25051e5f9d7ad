import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import type { Call } from '../../../base/kernel/call.js';
import { PageQuery } from '../../../platform/http/list-page.js';
import { Calling, type PlatformRequest } from '../../../platform/http/platform-request.js';
import { Refuses, Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import type { CeremonyOptions } from './ceremonies.service.js';
import { CreatedCredentialBody, PasskeyListView, PasskeyView, RenamePasskeyBody } from './passkey.dto.js';
import { Passkeys } from './passkeys.service.js';

const NOT_FOUND = { description: 'The caller has no passkey with this id.' };

@ApiTags('Authentication')
@Controller('v2/user/passkeys')
export class PasskeysController {
  constructor(private readonly passkeys: Passkeys) {}

  @Post('options')
  @HttpCode(200)
  @Requires({ caller: 'session' })
  @Refuses(403, 'Passkeys are off, or the sign-in is older than 10 minutes.')
  @ApiOperation({ summary: 'Start to register a passkey: options for `navigator.credentials.create`' })
  @ApiOkResponse({
    description: 'Read them with `PublicKeyCredential.parseCreationOptionsFromJSON`. Valid for 5 minutes.',
    schema: { type: 'object', additionalProperties: true },
  })
  startPasskeyRegistration(
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CeremonyOptions> {
    return this.passkeys.start(request, response);
  }

  @Post()
  @Requires({ caller: 'session' })
  @Refuses(403, 'Passkeys are off, or the sign-in is older than 10 minutes.')
  @Refuses(409, 'The passkey is registered already, or the person has too many.')
  @ApiOperation({ summary: 'Register the passkey that the authenticator has created' })
  @ApiCreatedResponse({ type: PasskeyView })
  async finishPasskeyRegistration(
    @Req() request: PlatformRequest,
    @Body() body: CreatedCredentialBody,
  ): Promise<PasskeyView> {
    return PasskeyView.of(await this.passkeys.finish(request, body));
  }

  @Get()
  @Requires({ caller: 'session' })
  @ApiOperation({ summary: 'List your passkeys, newest first' })
  @ApiOkResponse({ type: PasskeyListView })
  async listPasskeys(@Calling() call: Call, @Query() page: PageQuery): Promise<PasskeyListView> {
    const [passkeys, total] = await this.passkeys.list(call, page);
    return { results: passkeys.map(PasskeyView.of), total };
  }

  @Patch(':id')
  @Requires({ caller: 'session' })
  @ApiOperation({ summary: 'Rename one of your passkeys' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the passkey.' })
  @ApiOkResponse({ type: PasskeyView })
  @ApiNotFoundResponse(NOT_FOUND)
  async renamePasskey(
    @Calling() call: Call,
    @Param('id') id: string,
    @Body() { name }: RenamePasskeyBody,
  ): Promise<PasskeyView> {
    return PasskeyView.of(await this.passkeys.rename(call, id, name));
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires({ caller: 'session' })
  @ApiOperation({ summary: 'Delete one of your passkeys and end the sessions that it began' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'Id of the passkey.' })
  @ApiNoContentResponse({ description: 'The passkey is deleted.' })
  @ApiNotFoundResponse(NOT_FOUND)
  deletePasskey(@Calling() call: Call, @Param('id') id: string): Promise<void> {
    return this.passkeys.delete(call, id);
  }
}
