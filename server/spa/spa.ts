import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import type { Deployment } from '../../shared/deployment.ts';
import { shellPolicy } from '../http/security-headers.ts';
import { type Asset, readAssets } from './built-assets.ts';
import { namesHtml, preferredCoding } from './content-negotiation.ts';

/** A new build gives a changed file a new name. */
const FOREVER = 'public, max-age=31536000, immutable';

export interface SpaOptions {
  /** Folder of the built app. */
  directory: string;
  deployment: Deployment;
  version: string;
}

/**
 * The app: its built assets by their exact names, and its one page for every other address outside `/api` that a
 * browser opens. Both are public, for they hold no data. Everything else falls through to the gate behind.
 * @throws where the app has not been built
 */
export function spa(options: SpaOptions): RequestHandler {
  const page = readPage(options);
  const assets = readAssets(options.directory);
  return (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    if (req.path === '/api' || req.path.startsWith('/api/')) return next();
    const asset = assets.get(req.path);
    if (asset !== undefined) return sendAsset(req, res, asset);
    if (!namesHtml(req.headers.accept)) return next();
    sendPage(res, page);
  };
}

/** The page between its nonces; deployment and version never change while the process lives. */
function readPage({ directory, deployment, version }: SpaOptions): string[] {
  const path = join(directory, 'index.html');
  let html: string;
  try {
    html = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`The app is not built: ${path} is missing. "npm run build" makes it.`, { cause: error });
  }
  return html
    .replaceAll('__DEPLOYMENT__', () => attribute(deployment))
    .replaceAll('__VERSION__', () => attribute(version))
    .split('__CSP_NONCE__');
}

function sendPage(res: Response, page: readonly string[]): void {
  const nonce = randomBytes(18).toString('base64');
  const body = Buffer.from(page.join(nonce));
  res.setHeader('Content-Security-Policy', shellPolicy(nonce));
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.setHeader('Content-Length', body.length);
  res.end(body);
}

function sendAsset(req: Request, res: Response, asset: Asset): void {
  res.setHeader('Cache-Control', FOREVER);
  res.setHeader('ETag', asset.etag);
  if (asset.compressed.size > 0) res.setHeader('Vary', 'Accept-Encoding');
  if (req.fresh) {
    res.statusCode = 304;
    res.end();
    return;
  }
  const coding = preferredCoding(req.get('accept-encoding'), [...asset.compressed.keys()]);
  const body = (coding && asset.compressed.get(coding)) || asset.plain;
  if (coding) res.setHeader('Content-Encoding', coding);
  res.setHeader('Content-Type', asset.type);
  res.setHeader('Content-Length', body.length);
  res.end(body);
}

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
