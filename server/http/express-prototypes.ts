import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * Constructors for `http.createServer` whose objects already have Express' prototypes. Express' own
 * `Object.setPrototypeOf`, which would otherwise dominate a request's cost, becomes a no-op. Works for one app without
 * mounted sub-apps.
 */
export function expressPrototypes(app: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  function AppRequest(this: IncomingMessage, socket: ConstructorParameters<typeof IncomingMessage>[0]): void {
    (IncomingMessage as unknown as (this: IncomingMessage, s: typeof socket) => void).call(this, socket);
  }
  AppRequest.prototype = app.request;
  Object.setPrototypeOf(AppRequest, IncomingMessage);

  function AppResponse(this: ServerResponse, ...args: unknown[]): void {
    (ServerResponse as unknown as (this: ServerResponse, ...rest: unknown[]) => void).apply(this, args);
  }
  AppResponse.prototype = app.response;
  Object.setPrototypeOf(AppResponse, ServerResponse);

  return {
    IncomingMessage: AppRequest as unknown as typeof IncomingMessage,
    ServerResponse: AppResponse as unknown as typeof ServerResponse,
  };
}
