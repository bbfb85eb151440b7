// Before the first paint: the scheme that the person chose, else the system's.
const chosen = localStorage.getItem('scheme')
const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
