/* Adds to each block of commands a button that copies it. The pages work without it. */
for (const block of document.querySelectorAll('pre.code')) {
  const place = document.createElement('div')
  place.className = 'copied'
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.textContent ?? '')
      button.textContent = 'Copied'
    } catch {
      // The browser does not allow it here: the text can be selected.
      button.textContent = 'Select the text to copy it'
    }
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  block.replaceWith(place)
  place.append(block, button)
}
