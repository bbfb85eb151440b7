/**
 * npm run chaos -- NAME [options]: runs one fault run on a product of its own. Exits with code 0
 * when every invariant held, 1 when one did not.
 */
const runs: Record<string, () => Promise<{ run(args: string[]): Promise<boolean> }>> = {
  kill: () => import('./kill.ts'),
  outage: () => import('./outage.ts'),
  escalate: () => import('./escalate.ts'),
  deliver: () => import('./deliver.ts'),
  vendors: () => import('./vendors.ts'),
  alertmanager: () => import('./alertmanager.ts'),
  watched: () => import('./watched.ts'),
  upgrade: () => import('./upgrade.ts')
}

const [name, ...args] = process.argv.slice(2)
const load = name === undefined ? undefined : runs[name]
if (!load) {
  process.stderr.write(
    `usage: npm run chaos -- NAME, with a NAME of ${Object.keys(runs).join(', ')}; kill and outage take --secs, --rate, --seed and --clocks right|doors|engines, escalate, deliver and vendors --secs, --rate and --seed, watched --story, --secs and --seed, upgrade --from\n`
  )
  process.exit(2)
}
process.exit((await (await load()).run(args)) ? 0 : 1)
