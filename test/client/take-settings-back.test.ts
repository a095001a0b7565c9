import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canBeUndone, type SettingChange, settingsUndo } from '../../client/record/undo.ts';
import { UndoRefused } from '../../client/ui/toasts.tsx';
import { KEPT_VERSION_HEADER, type Setting } from '../../shared/settings.ts';
import { pretendBrowser } from '../support/dom.ts';

const setting = (key: string, value: string): Setting => ({
  key,
  value,
  encrypted: false,
  category: null,
  updated_at: '2026-11-23T10:00:00.000Z',
});

/** Answers as the service does, with versions counted from 1 and a new tag for each write. */
describe('undoing changes of settings', () => {
  let server: Server;
  let close: () => Promise<void>;
  let stored: Map<string, { setting: Setting; tag: string }>;
  let versions: { key: string; setting: Setting }[];
  /** Whether the answer to a request that was carried out is lost. */
  let isLost: (request: string) => boolean;
  let tags = 0;
  /** Whether something between drops entity tags. */
  let drops: boolean;

  const put = (one: Setting): { tag: string; undoVersion: number | undefined } => {
    const before = stored.get(one.key);
    tags += 1;
    stored.set(one.key, { setting: one, tag: `"${tags}"` });
    return { tag: `"${tags}"`, undoVersion: before && versions.push({ key: one.key, setting: before.setting }) };
  };
  const remove = (key: string): number => {
    const before = stored.get(key);
    assert.ok(before);
    stored.delete(key);
    return versions.push({ key, setting: before.setting });
  };
  /** A write of this app. */
  const written = (one: Setting): SettingChange => {
    const before = stored.get(one.key)?.setting;
    const { tag, undoVersion } = put(one);
    return { key: one.key, before, undoVersion, after: { setting: one, tag: drops ? undefined : tag } };
  };
  const deleted = (key: string): SettingChange => {
    const before = stored.get(key)?.setting;
    return { key, before, undoVersion: remove(key), after: null };
  };
  const values = () => Object.fromEntries([...stored].map(([key, { setting }]) => [key, setting.value]));

  before((done) => {
    server = createServer(async (req, res) => {
      let text = '';
      for await (const piece of req) text += piece;
      const { pathname } = new URL(req.url ?? '', 'http://localhost');
      const response = (status: number, body?: unknown, headers: Record<string, string> = {}): void => {
        if (status < 300 && isLost(`${req.method} ${pathname}`)) return void res.destroy();
        if (drops) delete headers['etag'];
        res.writeHead(status, { 'content-type': 'application/json', ...headers });
        res.end(body === undefined ? undefined : JSON.stringify(body));
      };
      const restoring = req.method === 'POST';
      const wanted = restoring ? (JSON.parse(text) as { key: string; version: number }) : undefined;
      const key = wanted?.key ?? decodeURIComponent(pathname.split('/').at(-1) ?? '');
      const now = stored.get(key);
      if (req.method === 'GET')
        return now === undefined
          ? response(404, { error: 'not_found', message: 'Setting not found.' })
          : response(200, now.setting, { etag: now.tag });
      const given = req.headers['if-match'];
      const isMet =
        given === undefined ? req.headers['if-none-match'] !== '*' || now === undefined : given === now?.tag;
      if (!isMet) return response(412, { error: 'precondition_failed', message: 'It was changed.' });
      if (wanted === undefined) {
        remove(key);
        return response(204);
      }
      const version = versions[wanted.version - 1];
      if (version?.key !== key) return response(404, { error: 'not_found', message: 'This version is not kept.' });
      const { tag, undoVersion } = put(version.setting);
      response(200, version.setting, {
        etag: tag,
        ...(undoVersion === undefined ? {} : { [KEPT_VERSION_HEADER]: String(undoVersion) }),
      });
    });
    server.listen(0, '127.0.0.1', () => {
      ({ close } = pretendBrowser(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
      done();
    });
  });
  after(async () => {
    await close();
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    stored = new Map();
    versions = [];
    isLost = () => false;
    drops = false;
    put(setting('a', 'old'));
  });
  const refused = (message: RegExp) => (error: Error) => error instanceof UndoRefused && message.test(error.message);

  it('restores changed or deleted settings, and deletes new ones', async () => {
    await settingsUndo([written(setting('a', 'new'))])();
    assert.deepEqual(values(), { a: 'old' });
    await settingsUndo([deleted('a'), written(setting('b', 'new'))])();
    assert.deepEqual(values(), { a: 'old' });
  });

  it('undoes the last change first, one setting that was changed twice included', async () => {
    put(setting('enabled', 'true'));
    const changes = [
      written(setting('enabled', 'false')),
      written(setting('a', 'new')),
      written(setting('enabled', 'true')),
    ];
    const seen: object[] = [];
    isLost = () => {
      seen.push(values());
      return false;
    };
    await settingsUndo(changes)();
    assert.deepEqual(seen, [
      { a: 'new', enabled: 'false' },
      { a: 'old', enabled: 'false' },
      { a: 'old', enabled: 'true' },
    ]);
  });

  it('continues where it failed, even if only the response was lost', async () => {
    const undo = settingsUndo([deleted('a'), written(setting('b', 'new'))]);
    isLost = (request) => request.startsWith('DELETE');
    await assert.rejects(undo(), (error) => !(error instanceof UndoRefused));
    isLost = (request) => request.startsWith('POST');
    await assert.rejects(undo(), (error) => !(error instanceof UndoRefused));
    isLost = () => false;
    await undo();
    assert.deepEqual(values(), { a: 'old' });
  });

  it('never overwrites later changes by others, and says how many were undone before that', async () => {
    const undo = settingsUndo([written(setting('a', 'new')), written(setting('b', 'new'))]);
    put(setting('a', 'theirs'));
    await assert.rejects(undo(), refused(/1 of 2 changes were undone before that/));
    assert.deepEqual(values(), { a: 'theirs' });
  });

  it('compares the stored setting if a proxy drops entity tags, and sends no condition', async () => {
    drops = true;
    await settingsUndo([written(setting('a', 'new')), written(setting('b', 'new'))])();
    assert.deepEqual(values(), { a: 'old' });
    const undo = settingsUndo([written(setting('a', 'new'))]);
    put(setting('a', 'theirs'));
    await assert.rejects(undo(), refused(/Somebody has since changed a/));
    assert.deepEqual(values(), { a: 'theirs' });
  });

  it('is not offered if the write encrypted a plain value, which the service then discards', () => {
    const before = setting('a', 'plain');
    const change = { key: 'a', before, after: { setting: before, tag: '"1"' } };
    assert.equal(canBeUndone({ ...change, undoVersion: undefined }), false);
    assert.equal(canBeUndone({ ...change, undoVersion: 1 }), true);
  });
});
