import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiConsumes } from '@nestjs/swagger';
import { FORM_MEDIA_TYPE } from './form-body.js';

export const FORM_BODY = 'form-body';

/** The route takes a form as well as JSON, as OAuth's endpoints do (RFC 6749, appendix B). */
export function FormBody(): MethodDecorator {
  return applyDecorators(SetMetadata(FORM_BODY, true), ApiConsumes('application/json', FORM_MEDIA_TYPE));
}
