/**
 * Whether `version` is in `range`, written as in the `engines` of package.json: `^22.18.0 || ^24.0.0 || >=26.0.0`.
 * Plain JavaScript without imports, since it runs on any Node.
 * @param {string} range
 * @param {string} version
 */
export function isInRange(range, version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return range.split(' || ').some((part) => {
    const [, operator, fromMajor, fromMinor] = /^(\^|>=)(\d+)\.(\d+)\./.exec(part) ?? [];
    if (major === Number(fromMajor)) return minor >= Number(fromMinor);
    return operator === '>=' && major > Number(fromMajor);
  });
}
