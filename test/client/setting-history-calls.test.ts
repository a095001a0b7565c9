import assert from 'node:assert/strict';
import { QueryClient } from '@tanstack/react-query';
import {
  decryptVersion,
  forgetVersions,
  restoreVersion,
  type SettingPast,
  settingPastQuery,
} from '../../client/api/setting-history.ts';
import { deleteSetting, saveSetting } from '../../client/api/settings-record.ts';
import { pretendBrowser } from '../support/dom.ts';
import { newSqlite, type SettingsApp, startSettingsApp } from '../support/settings-app.ts';

const OUTDATED = { code: 'precondition_failed' };

describe('the calls that take a change of a setting back', () => {
  let app: SettingsApp;
  let close: () => Promise<void>;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    const made = await newSqlite();
    remove = made.remove;
    app = await startSettingsApp(made.database);
    ({ close } = pretendBrowser(`${app.url}/`));
  });
  afterEach(async () => {
    await close();
    await app.close();
    await remove();
  });

  const key = 'a/b %🔑&=+';
  const past = (): Promise<SettingPast> => new QueryClient().fetchQuery(settingPastQuery(key));
  const valueNow = async (): Promise<string | undefined> => (await past()).now?.setting.value;

  it('restore what a save replaced, unless the setting is another by now', async () => {
    assert.equal((await saveSetting({ key, value: 'one' })).kept, undefined);
    const { tag, kept = 0 } = await saveSetting({ key, value: 'two' });
    const restored = await restoreVersion({ key, version: kept }, tag);
    assert.deepEqual([restored.setting.value, await valueNow()], ['one', 'one']);
    assert.notEqual(restored.tag, tag);
    await assert.rejects(restoreVersion({ key, version: kept }, tag), OUTDATED);
    const again = await restoreVersion({ key, version: restored.kept ?? 0 }, restored.tag);
    assert.equal(again.setting.value, 'two');
  });

  it('bring back what was deleted, unless somebody stored it again', async () => {
    await saveSetting({ key, value: 'one' });
    const kept = (await deleteSetting(key)) ?? 0;
    assert.deepEqual((await past()).now, null);
    await saveSetting({ key, value: 'by somebody else' });
    await assert.rejects(restoreVersion({ key, version: kept }, null), OUTDATED);
    await deleteSetting(key);
    assert.equal((await restoreVersion({ key, version: kept }, null)).setting.value, 'one');
  });

  it('delete what was created, unless somebody changed it', async () => {
    const { tag } = await saveSetting({ key, value: 'one' });
    await saveSetting({ key, value: 'by somebody else' });
    await assert.rejects(deleteSetting(key, tag), OUTDATED);
    assert.equal(await valueNow(), 'by somebody else');
  });

  it('say that there is no way back to a value that was in plain text before', async () => {
    await saveSetting({ key, value: 'plain' });
    assert.equal((await saveSetting({ key, value: 'secret', encrypted: true })).kept, undefined);
  });

  it('open one version, list them all, and forget them', async () => {
    await saveSetting({ key, value: 'one', encrypted: true });
    const { kept = 0 } = await saveSetting({ key, value: 'two' });
    assert.equal(await decryptVersion({ key, version: kept }), 'one');
    const { now, versions } = await past();
    assert.match(versions[0]?.value ?? '', /^v1\./);
    assert.equal((await restoreVersion({ key, version: kept }, now?.tag ?? '')).setting.encrypted, true);
    await forgetVersions(key);
    assert.deepEqual((await past()).versions, []);
    await assert.rejects(restoreVersion({ key, version: kept }, (await past()).now?.tag ?? ''), { code: 'not_found' });
  });
});
